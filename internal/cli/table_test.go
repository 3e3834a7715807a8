package cli_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/cli"
)

func TestTable(t *testing.T) {
	table := &cli.Table{
		Columns: []cli.Column{{Title: "ID"}, {Title: "TURNS", Right: true, Drop: 2}, {Title: "TITLE", Flex: true},
			{Title: "STATUS"}, {Title: "SIZE", Right: true, Drop: 3}},
		Rows: [][]cli.Cell{
			{{Text: "a"}, {Text: "3"}, {Text: "A title that is longer than others"}, {}, {Text: "1 MiB"}},
			{{Text: "b"}, {Text: "12"}, {Text: "缓存"}, {}, {Text: "2 KiB"}},
		},
	}
	write := func(width int) string {
		var b strings.Builder
		if err := table.Write(&b, func(_, text string) string { return text }, width); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for width, want := range map[int]string{
		0: "ID  TURNS  TITLE                                SIZE\na       3  A title that is longer than others  1 MiB\n" +
			"b      12  缓存                                2 KiB\n",
		36: "ID  TURNS  TITLE\na       3  A title that is longer t…\nb      12  缓存\n",
		30: "ID  TITLE\na   A title that is longer th…\nb   缓存\n",
	} {
		got, clean := write(width), ""
		for _, line := range strings.Split(want, "\n") {
			clean += strings.TrimRight(line, " ") + "\n"
		}
		if got != strings.TrimSuffix(clean, "\n") {
			t.Errorf("width %d:\n%s\nwant:\n%s", width, got, clean)
		}
	}
	table.Rows[1][3] = cli.Cell{Text: "failed (1)", Color: "31"}
	if got := write(60); !strings.Contains(got, "STATUS") || !strings.Contains(got, "failed (1)") {
		t.Errorf("a status is not shown:\n%s", got)
	}
}
