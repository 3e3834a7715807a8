// Package bucket stores objects in a bucket of S3 or a compatible server.
package bucket

import (
	"cmp"
	"context"
	"crypto/md5" // required by S3
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/ptyrec/ptyrec/session"
)

// Bucket is a bucket, or its objects whose keys have a prefix. It may be used concurrently.
type Bucket struct {
	client *client
	name   string
	prefix string // empty, or ends with /
}

// ErrAddress reports an invalid address of a bucket.
var ErrAddress = errors.New("a bucket is written as s3://BUCKET or s3://BUCKET/PREFIX")

// callTime is the time limit of a call, including repetitions.
const callTime = 20 * time.Second

// defaultRegion is the default region of a bucket.
const defaultRegion = "us-east-1"

// Open returns the bucket at an address, s3://BUCKET/PREFIX, which must exist. It uses the same
// environment as other programs: $AWS_ENDPOINT_URL_S3 or $AWS_ENDPOINT_URL is the server if it is
// not Amazon's, $AWS_REGION the region, and the credentials are in $AWS_ACCESS_KEY_ID and
// $AWS_SECRET_ACCESS_KEY, in ~/.aws/credentials, or those of the machine's role.
func Open(ctx context.Context, address string) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrAddress
	}
	region := cmp.Or(os.Getenv("AWS_REGION"), defaultRegion)
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3."+region+amazon)
	server, err := url.Parse(endpoint)
	if err != nil || server.Host == "" || server.Path != "" && server.Path != "/" {
		return nil, fmt.Errorf("the server's address is %q: write https://HOST", endpoint)
	}
	who := credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{}, &credentials.IAM{}})
	b := &Bucket{client: newClient(server, u.Host, region, who), name: u.Host, prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	if _, err := b.call(ctx, http.MethodHead, "", nil, nil, nil); err != nil {
		return nil, b.failed("open", err)
	}
	return b, nil
}

// call makes a call within callTime.
func (b *Bucket) call(ctx context.Context, method, key string, query url.Values, header http.Header,
	body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return b.client.call(ctx, method, key, query, header, body)
}

// full are the error codes of servers that are full.
var full = map[string]bool{"QuotaExceeded": true, "XMinioStorageFull": true, "InsufficientStorage": true,
	"XAmzQuotaExceeded": true, "StorageFull": true}

// failed wraps err with the bucket's name and the sentinel for its kind.
func (b *Bucket) failed(what string, err error) error {
	var answer answerError
	if refused := (*answerError)(nil); errors.As(err, &refused) {
		answer = *refused
	}
	kind := session.ErrBusy // it cannot be reached, or is at its limit
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case full[answer.Code] || answer.status == http.StatusInsufficientStorage:
		kind = session.ErrFull
	case answer.status == http.StatusNotFound:
		kind = session.ErrNotFound
	case answer.status == http.StatusForbidden:
		kind = session.ErrNotWritable
	case answer.region != "" && answer.region != b.client.region:
		return fmt.Errorf("bucket %s: it is in the region %s: set $AWS_REGION", b.name, answer.region)
	}
	return fmt.Errorf("bucket %s: %s: %w (%w)", b.name, what, kind, err)
}

// Put stores an object durably. sum is the SHA-256 of data; the server rejects other data.
func (b *Bucket) Put(ctx context.Context, key string, data []byte, sum [sha256.Size]byte) error {
	_, err := b.call(ctx, http.MethodPut, b.prefix+key, nil,
		http.Header{"Content-Type": {"application/octet-stream"}, sumHeader: {hex.EncodeToString(sum[:])}}, data)
	if err != nil {
		return b.failed("write", err)
	}
	return nil
}

// Get reads an object. The error wraps session.ErrNotFound if it does not exist.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, error) {
	data, err := b.call(ctx, http.MethodGet, b.prefix+key, nil, nil, nil)
	if err != nil {
		return nil, b.failed("read", err)
	}
	return data, nil
}

// maxDeleted is the maximum number of objects that one call deletes.
const maxDeleted = 1000

// Delete deletes objects. It is not an error if one does not exist.
func (b *Bucket) Delete(ctx context.Context, keys []string) error {
	for some := range slices.Chunk(keys, maxDeleted) {
		if err := b.deleteSome(ctx, some); err != nil {
			return b.failed("delete", err)
		}
	}
	return nil
}

func (b *Bucket) deleteSome(ctx context.Context, keys []string) error {
	type object struct{ Key string }
	list := struct {
		XMLName xml.Name `xml:"Delete"`
		Quiet   bool
		Object  []object
	}{Quiet: true}
	for _, key := range keys {
		list.Object = append(list.Object, object{b.prefix + key})
	}
	body, err := xml.Marshal(list)
	if err != nil {
		return err
	}
	sum := md5.Sum(body)
	answer, err := b.call(ctx, http.MethodPost, "", url.Values{"delete": {""}},
		http.Header{"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}, "Content-Type": {"application/xml"}}, body)
	if err != nil {
		return err
	}
	var result struct{ Error []answerError }
	if err := xml.Unmarshal(answer, &result); err != nil {
		return err
	}
	for _, failed := range result.Error {
		if failed.Code != "NoSuchKey" {
			return &failed
		}
	}
	return nil
}

// page is a page of a bucket's list.
type page struct {
	EncodingType          string
	IsTruncated           bool
	NextContinuationToken string
	Contents              []struct {
		Key          string
		LastModified time.Time
	}
}

// Before returns the keys of the objects that were written before when.
func (b *Bucket) Before(ctx context.Context, when time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {b.prefix}}
		for more := true; more; {
			var p page
			answer, err := b.call(ctx, http.MethodGet, "", query, nil, nil)
			if err == nil {
				err = xml.Unmarshal(answer, &p)
			}
			if err != nil {
				yield("", b.failed("list", err))
				return
			}
			for _, o := range p.Contents {
				key := o.Key
				if p.EncodingType == "url" {
					if key, err = url.QueryUnescape(o.Key); err != nil {
						key = o.Key
					}
				}
				if o.LastModified.Before(when) && !yield(strings.TrimPrefix(key, b.prefix), nil) {
					return
				}
			}
			query.Set("continuation-token", p.NextContinuationToken)
			more = p.IsTruncated && p.NextContinuationToken != ""
		}
	}
}
