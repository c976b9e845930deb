package manifest_test
import ("syscall";"testing";"strings";"runtime";"fmt"
 v2 "go.yaml.in/yaml/v2"
 v3 "go.yaml.in/yaml/v3"
 sigs "sigs.k8s.io/yaml"
)
func BenchmarkParsers(b *testing.B){
 text:=generate(8000,false)
 docs:=strings.Split(text,"---\n")[1:]
 fmt.Println(len(text),len(docs))
 run:=func(name string,f func([]byte) any){ b.Run(name,func(b *testing.B){ b.SetBytes(int64(len(text))); b.ReportAllocs()
  var r0 syscall.Rusage; syscall.Getrusage(0,&r0); defer func(){var r1 syscall.Rusage; syscall.Getrusage(0,&r1); b.ReportMetric(float64(r1.Utime.Nano()-r0.Utime.Nano())/1e6/float64(b.N),"cpu-ms")}()
 for b.Loop(){ var keep []any; for _,d:=range docs{ keep=append(keep,f([]byte(d)))}; runtime.KeepAlive(keep)}})}
 run("v2",func(d []byte)any{var v any; if err:=v2.Unmarshal(d,&v);err!=nil{panic(err)};return v})
 run("v3any",func(d []byte)any{var v any; v3.Unmarshal(d,&v);return v})
 run("v3node",func(d []byte)any{var v v3.Node; v3.Unmarshal(d,&v);return &v})
 run("sigs",func(d []byte)any{var v any; sigs.Unmarshal(d,&v);return v})
}
