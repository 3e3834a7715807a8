package agentlog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/agentlog"
)

func TestWrite(t *testing.T) {
	v := agentlog.Verification{Agent: "claude", Logs: []string{"/home/dev/a.jsonl"}}
	v.Want, v.Have, v.Exact, v.Chars, v.Cut = 3, 3, 2, 0.985, 1
	v.Differs = []agentlog.Difference{
		{Kind: agentlog.Missing, Role: "user", Want: "hello"},
		{Kind: agentlog.More, Role: "assistant", Seq: 4, Have: "ghost"},
	}
	var b strings.Builder
	v.Write(&b, func(sgr, text string) string { return "<" + sgr + ">" + text })
	want := `claude: /home/dev/a.jsonl
  messages  3 in the log, 3 in the transcript
  exact     2 of 3
  chars     98.50 %
  cut off   1 message interrupted, and not in the log
  missing   user: <31>hello
  more      #4 assistant: <32>ghost
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
