package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// identity is a key with a certificate, parsed and as PEM.
type identity struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem, keyPEM []byte
}

// request is what a certificate is to say.
type request struct {
	name   string
	groups []string
	// addresses and names are those of a server; a client has none.
	addresses []net.IP
	names     []string
}

// issue makes a key and a certificate for a day, signed by the authority, or by itself where there is none.
func issue(authority *identity, r request) (*identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key of %s: %w", r.name, err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("serial number of %s: %w", r.name, err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: r.name, Organization: r.groups},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		IPAddresses:  r.addresses,
		DNSNames:     r.names,
	}
	parent, signer := template, key
	switch {
	case authority == nil:
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage |= x509.KeyUsageCertSign
	case len(r.addresses)+len(r.names) > 0:
		parent, signer = authority.certificate, authority.key
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	default:
		parent, signer = authority.certificate, authority.key
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", r.name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", r.name, err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("key of %s: %w", r.name, err)
	}
	return &identity{
		certificate: certificate,
		key:         key,
		pem:         pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM:      pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// publicPEM is the public key of an identity.
func (i *identity) publicPEM() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// ServerCertificate issues a certificate for a server of the tests, signed by the authority of CAPEM. A host is a name or an
// address.
func (c *Cluster) ServerCertificate(hosts ...string) (*tls.Certificate, error) {
	r := request{name: "test-server"}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			r.addresses = append(r.addresses, ip)
		} else {
			r.names = append(r.names, host)
		}
	}
	id, err := issue(c.authority, r)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(id.pem, id.keyPEM)
	return &pair, err
}
