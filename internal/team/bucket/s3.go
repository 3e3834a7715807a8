package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

// client makes the calls of S3's REST API for one bucket. It uses minio-go only for signatures and
// credentials, because minio-go's own client would make the program much larger.
type client struct {
	http   *http.Client
	at     url.URL // address of the bucket, without a key
	region string
	who    *credentials.Credentials
}

const (
	// callTries is the maximum number of attempts of a call.
	callTries = 2
	// callPause is the maximum pause before the second attempt.
	callPause = time.Second
	// maxAnswer is the maximum length of a response, in bytes: an object, or a list of 1,000 keys.
	maxAnswer = 64 << 20
	amazon    = ".amazonaws.com"
	// sumHeader contains the SHA-256 of the body, which is signed.
	sumHeader = "X-Amz-Content-Sha256"
)

// newClient returns the client for a bucket on a server.
func newClient(server *url.URL, name, region string, who *credentials.Credentials) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	transport.DisableCompression = true // objects are compressed
	c := &client{region: region, who: who, http: &http.Client{Transport: transport,
		CheckRedirect: redirect.Never}}
	c.at = url.URL{Scheme: server.Scheme, Host: server.Host, Path: "/" + name}
	if strings.HasSuffix(server.Hostname(), amazon) && !strings.Contains(name, ".") {
		// The certificate does not cover further dots.
		c.at = url.URL{Scheme: server.Scheme, Host: name + "." + server.Host}
	}
	return c
}

// answerError is an error response of the server.
type answerError struct {
	status  int
	region  string // region of the bucket, if the response contains it
	Code    string
	Message string
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the server answered %d %s: %s", e.status, e.Code, e.Message)
}

// call makes a call and returns the body of the response. It repeats the call once if the server
// fails. The error wraps *answerError if there was a response.
func (c *client) call(ctx context.Context, method, key string, query url.Values, header http.Header,
	body []byte) (answer []byte, err error) {
	for try := 1; ; try++ {
		var status int
		status, answer, err = c.once(ctx, method, key, query, header, body)
		again := status == 0 || status == http.StatusTooManyRequests ||
			status >= http.StatusInternalServerError && status != http.StatusInsufficientStorage
		if err == nil || !again || try == callTries || ctx.Err() != nil {
			return answer, err
		}
		select {
		case <-time.After(rand.N(callPause)):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// once makes a call once. status is 0 if there was no complete response.
func (c *client) once(ctx context.Context, method, key string, query url.Values, header http.Header,
	body []byte) (status int, answer []byte, err error) {
	at := c.at
	at.Path += "/" + key
	at.RawPath = s3utils.EncodePath(at.Path)
	at.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	if r.Header.Get(sumHeader) == "" {
		sum := sha256.Sum256(body)
		r.Header.Set(sumHeader, hex.EncodeToString(sum[:]))
	}
	who, err := c.who.GetWithContext(&credentials.CredContext{Context: ctx, Client: c.http})
	if err != nil {
		return 0, nil, err
	}
	resp, err := c.http.Do(signer.SignV4(*r, who.AccessKeyID, who.SecretAccessKey, who.SessionToken, c.region))
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var all bytes.Buffer
	all.Grow(int(min(max(resp.ContentLength, 0), maxAnswer)) + bytes.MinRead)
	if _, err = all.ReadFrom(io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return 0, nil, err
	}
	answer = all.Bytes()
	if resp.StatusCode/100 == 2 {
		return resp.StatusCode, answer, nil
	}
	refused := &answerError{status: resp.StatusCode, region: resp.Header.Get("X-Amz-Bucket-Region")}
	_ = xml.Unmarshal(answer, refused) // a proxy's response has another form
	return resp.StatusCode, nil, refused
}
