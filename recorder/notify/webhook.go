package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

const (
	webhookTries = 3
	webhookTime  = 5 * time.Second // limit of one attempt
	// webhookPause is the time before the second attempt; before the third it is webhookGrowth
	// times as long.
	webhookPause  = time.Second
	webhookGrowth = 4
	// answerSize is the maximum length of an answer that is read, in bytes.
	answerSize = 64 << 10
)

// payload is the body of a webhook's request.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Session   string    `json:"session"`
	State     string    `json:"state"`
	Agent     string    `json:"agent,omitempty"`
	Took      float64   `json:"took,omitempty"` // seconds
	Text      string    `json:"text,omitempty"`
}

// webhook posts a notice, and tries again if that fails.
func (n *Notifier) webhook(notice Notice) {
	body, err := json.Marshal(payload{"agent." + notice.State, notice.At.UTC(), notice.Session, notice.State,
		notice.Agent, notice.Took.Seconds(), notice.Text})
	if err != nil {
		return
	}
	id := "msg_" + rand.Text() // the same for each attempt
	client := &http.Client{
		Timeout:       webhookTime,
		CheckRedirect: redirect.Never,
	}
	defer client.CloseIdleConnections()
	pause := n.pause
	for try := range webhookTries {
		if try > 0 {
			select {
			case <-time.After(pause):
			case <-n.ctx.Done():
				return
			}
			pause *= webhookGrowth
		}
		if n.post(n.ctx, client, id, body) == nil {
			return
		}
	}
}

// post makes one attempt. The headers are those of Standard Webhooks (standardwebhooks.com).
func (n *Notifier) post(ctx context.Context, client *http.Client, id string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.options.Webhook, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(n.now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "ptyrec")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	if n.options.Secret != "" {
		req.Header.Set("Webhook-Signature", sign(n.options.Secret, id, at, body))
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, answerSize))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answered %s", resp.Status)
	}
	return nil
}

// sign returns the signature of a message: the HMAC-SHA256 of "id.timestamp.body", in base64. The
// key is the secret or, if that begins with whsec_, the rest of it decoded from base64.
func sign(secret, id, timestamp string, body []byte) string {
	key := []byte(secret)
	if rest, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if decoded, err := base64.StdEncoding.DecodeString(rest); err == nil {
			key = decoded
		}
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + timestamp + ".")) // never fails
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
