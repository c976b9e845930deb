package html_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	strata  string
	browser context.Context
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "strata-html-*")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if strata, err = findStrata(folder); err != nil {
		return fail(err)
	}
	chromium, err := findChromium()
	if err != nil {
		return fail(err)
	}
	// Chromium's sandbox does not work for root; it only opens files that these tests write.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		return fail(err)
	}
	return m.Run()
}

func fail(err error) int {
	_, _ = os.Stderr.WriteString(err.Error() + "\n")
	return 1
}

func findStrata(folder string) (string, error) {
	if program := os.Getenv("STRATA"); program != "" {
		return program, nil
	}
	program := filepath.Join(folder, "strata")
	build := exec.Command("go", "build", "-o", program, "./cmd/strata")
	build.Dir = "../.."
	build.Stderr = os.Stderr
	return program, build.Run()
}

func findChromium() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "chrome"}
	if name := os.Getenv("CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errors.New("these tests need Chromium: none of " + strings.Join(names, ", ") +
		" is in PATH. Debian: apt-get install chromium. Elsewhere: set CHROMIUM to the program.")
}

// report runs strata diff and returns the page that it writes.
func report(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	out, err := exec.Command(strata, append([]string{"diff", "-o", "html=" + file}, args...)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("strata diff: %v\n%s", err, out)
	}
	return file
}

// A tab shows one page.
type tab struct {
	context.Context
	t        *testing.T
	mu       sync.Mutex
	requests []string
	faults   []string
}

// open opens a page after what is to be done before. The test fails if the page asks for anything but itself, opens a dialog, or has
// the browser complain.
func open(t *testing.T, file string, before ...func(*tab)) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	b := &tab{Context: ctx, t: t}
	where := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	b.check(chromedp.Listen(ctx, b.listen))
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	b.Context = ctx
	t.Cleanup(func() {
		stop()
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.requests) == 0 {
			t.Error("no request was seen, not even that for the page")
		}
		for _, request := range b.requests {
			if address, _, _ := strings.Cut(request, "#"); address != where && !strings.HasPrefix(request, "data:") {
				t.Errorf("the page asks for %s", request)
			}
		}
		for _, fault := range b.faults {
			t.Error(fault)
		}
	})
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, page.Enable, page.EnableParams{})
	size(1280, 900)(b)
	for _, f := range before {
		f(b)
	}
	b.check(chromedp.Do(ctx, chromedp.Navigate(where)))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, event.Request.URL)
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, event.URL)
	case *page.EventJavascriptDialogOpening:
		b.faults = append(b.faults, "dialog: "+event.Message)
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, "exception: "+event.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.faults = append(b.faults, "log: "+event.Entry.Text)
	}
}

func (b *tab) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// call gives the browser a command of its protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], parameters P) {
	b.t.Helper()
	_, err := chromedp.Call(b, command, parameters)
	b.check(err)
}

// eval returns what a JavaScript expression gives.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b, chromedp.Evaluate[T](expression))
	b.check(err)
	return value
}

// press presses keys, one after the other. A key goes down with its text, as on a keyboard: then a page that takes the key keeps the
// text out of what has the focus.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		for _, r := range key {
			events := kb.Encode(r)
			down, up := *events[0], *events[len(events)-1]
			if len(events) == 3 {
				down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			call(b, input.DispatchKeyEvent, down)
			call(b, input.DispatchKeyEvent, up)
		}
	}
}

// size sets the size of the window.
func size(width, height int64) func(*tab) {
	return func(b *tab) {
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
		})
	}
}

// scheme sets whether the user likes light or dark pages.
func scheme(name string) func(*tab) {
	return func(b *tab) {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
	}
}

// noScript turns the scripts of the page off.
func noScript(b *tab) {
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// screenshot keeps a picture of the page for people to look at.
func (b *tab) screenshot(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b, chromedp.CaptureScreenshot())
	b.check(err)
	if err := errors.Join(os.MkdirAll("screenshots", 0o755), os.WriteFile(filepath.Join("screenshots", name+".png"), picture, 0o600)); err != nil {
		b.t.Fatal(err)
	}
}
