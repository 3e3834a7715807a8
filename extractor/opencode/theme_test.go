package opencode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestThemeByRole has a conversation in two other themes than the default one: one subdues text in
// a colour that is no grey, the other one says everything in grey.
func TestThemeByRole(t *testing.T) {
	const dump = "⟦ BAR|  ┃⟧\n⟦ BAR|  ┃⟧  ⟦ TEXT|Go on⟧\n⟦ BAR|  ┃⟧\n\n     ⟦ MUTED|→ Read main.go⟧\n\n" +
		"     ⟦b HEAD|Title⟧\n\n" +
		"     ⟦ TEXT|It is ⟧⟦ CODE|cache.Get⟧⟦ TEXT| that ⟧⟦b STRONG|always⟧⟦ TEXT| reads the file.⟧\n\n" +
		"     ⟦b STRONG|Note⟧\n\n" +
		"     ⟦ MUTED|┌─────┬─────┐⟧\n     ⟦ MUTED|│⟧⟦ TEXT|A⟧    ⟦ MUTED|│⟧⟦ TEXT|B⟧    ⟦ MUTED|│⟧\n" +
		"     ⟦ MUTED|├─────┼─────┤⟧\n" +
		"     ⟦ MUTED|│⟧⟦ TEXT|1⟧    ⟦ MUTED|│⟧⟦ TEXT|2⟧    ⟦ MUTED|│⟧\n     ⟦ MUTED|└─────┴─────┘⟧\n\n" +
		"⟦ #e06c75|  ┃⟧\n⟦ #e06c75|  ┃⟧  ⟦ MUTED|Bad request⟧\n⟦ #e06c75|  ┃⟧\n\n" +
		"     ⟦ BAR|▣ ⟧ ⟦ TEXT|Build⟧⟦ MUTED| · gpt · 2s⟧"
	const want = "user Go on\ntool Read(main.go) ok \n" +
		"assistant ## Title||It is `cache.Get` that **always** reads the file.||**Note**|||" +
		" A | B ||| --- | --- ||| 1 | 2 |\nsystem Bad request"
	for name, colours := range map[string][]string{
		"subdued in blue": {"BAR", "#81a1c1", "TEXT", "#eceff4", "MUTED", "#5b7099", "HEAD", "#88c0d0", "CODE", "#a3be8c",
			"STRONG", "#ebcb8b"},
		"text in grey": {"BAR", "#268bd2", "TEXT", "#839496", "MUTED", "#586e75", "HEAD", "#2aa198", "CODE", "#859900",
			"STRONG", "#b58900"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, it := range parse(cells(&standard), rowtest.Dump(t, 60, strings.NewReplacer(colours...).Replace(dump))) {
				got = append(got, told(it))
			}
			if d := cmp.Diff(strings.Join(got, "\n"), want); d != "" {
				t.Error(d)
			}
		})
	}
}
