package xds

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	security "istio.io/api/security/v1alpha1"
)

// Certificate lets istiod sign a certificate. An identity, as in spiffe://cluster.local/ns/shop/sa/cart, is that of another
// workload for which this client, a ztunnel, may ask; without one the certificate is for the client itself.
func (c *Client) Certificate(ctx context.Context, identity string) (*x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		return nil, err
	}
	request := &security.IstioCertificateRequest{
		Csr:              string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})),
		ValidityDuration: 3600,
	}
	if identity != "" {
		request.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{
			"ImpersonatedIdentity": structpb.NewStringValue(identity),
		}}
	}
	response, err := security.NewIstioCertificateServiceClient(c.connection).CreateCertificate(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("certificate for %q: %w", identity, err)
	}
	if len(response.GetCertChain()) == 0 {
		return nil, errors.New("certificate: an empty chain")
	}
	block, _ := pem.Decode([]byte(response.GetCertChain()[0]))
	if block == nil {
		return nil, errors.New("certificate: no PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}
