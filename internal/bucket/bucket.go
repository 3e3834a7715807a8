// Package bucket keeps objects in a bucket of S3, or of a server that speaks its protocol.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/ptyrec/ptyrec/session"
)

// Bucket is a bucket, or the part of one whose keys begin with a prefix. It may be used
// concurrently.
type Bucket struct {
	client *minio.Client
	name   string
	prefix string // empty, or it ends with /
}

// ErrAddress says that a text is not the address of a bucket.
var ErrAddress = errors.New("a bucket is written as s3://BUCKET or s3://BUCKET/PREFIX")

const (
	// callTime is how long one call may take, with its repetitions.
	callTime = 20 * time.Second
	// callTries is how often a call is made that fails.
	callTries = 2
)

// Open returns the bucket at an address, s3://BUCKET/PREFIX, which must exist. As with other
// programs, $AWS_ENDPOINT_URL_S3 or $AWS_ENDPOINT_URL names the server if it is not Amazon's,
// $AWS_REGION the region, and $AWS_ACCESS_KEY_ID with $AWS_SECRET_ACCESS_KEY, ~/.aws/credentials or
// the machine's role say who asks.
func Open(ctx context.Context, address string) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrAddress
	}
	endpoint := "https://s3.amazonaws.com"
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		if text := os.Getenv(name); text != "" {
			endpoint = text
		}
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Path != "" && at.Path != "/" {
		return nil, fmt.Errorf("the server's address is %q: write https://HOST", endpoint)
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: callTime}},
		}),
		Secure: at.Scheme == "https", Region: os.Getenv("AWS_REGION"), MaxRetries: callTries,
	})
	if err != nil {
		return nil, err
	}
	b := &Bucket{client: client, name: u.Host, prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	switch there, err := client.BucketExists(ctx, b.name); {
	case err != nil:
		return nil, b.failed("open", err)
	case !there:
		return nil, fmt.Errorf("bucket %s: %w", b.name, session.ErrNotFound)
	}
	return b, nil
}

// full are the codes by which servers say that there is no room.
var full = map[string]bool{"QuotaExceeded": true, "XMinioStorageFull": true, "InsufficientStorage": true, "XAmzQuotaExceeded": true, "StorageFull": true}

// failed wraps err with the bucket's name and the sentinel for its kind.
func (b *Bucket) failed(what string, err error) error {
	answer := minio.ToErrorResponse(err)
	kind := session.ErrBusy // it cannot be reached, or is at its limit
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case full[answer.Code] || answer.StatusCode == http.StatusInsufficientStorage:
		kind = session.ErrFull
	case answer.Code == minio.NoSuchKey:
		kind = session.ErrNotFound
	case answer.StatusCode == http.StatusForbidden:
		kind = session.ErrNotWritable
	}
	return fmt.Errorf("bucket %s: %s: %w (%w)", b.name, what, kind, err)
}

// Put writes an object. When it returns nil, the object is there to stay.
func (b *Bucket) Put(ctx context.Context, key string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := b.client.PutObject(ctx, b.name, b.prefix+key, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true})
	if err != nil {
		return b.failed("write", err)
	}
	return nil
}

// Get reads an object. The error wraps session.ErrNotFound if it is not there.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	object, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.failed("read", err)
	}
	defer func() { _ = object.Close() }()
	data, err := io.ReadAll(object)
	if err != nil {
		return nil, b.failed("read", err)
	}
	return data, nil
}

// Delete deletes objects. One that is not there is no error.
func (b *Bucket) Delete(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := make(chan minio.ObjectInfo, len(keys))
	for _, key := range keys {
		list <- minio.ObjectInfo{Key: b.prefix + key}
	}
	close(list)
	var failed error
	for e := range b.client.RemoveObjects(ctx, b.name, list, minio.RemoveObjectsOptions{}) {
		if failed == nil && minio.ToErrorResponse(e.Err).Code != minio.NoSuchKey {
			failed = b.failed("delete", e.Err)
		}
	}
	return failed
}

// Before returns the keys of the objects that were written before a moment.
func (b *Bucket) Before(ctx context.Context, when time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancel(ctx) // ends the listing
		defer cancel()
		for o := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
			if o.Err != nil {
				yield("", b.failed("list", o.Err))
				return
			}
			if o.LastModified.Before(when) && !yield(strings.TrimPrefix(o.Key, b.prefix), nil) {
				return
			}
		}
	}
}
