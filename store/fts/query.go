package fts

import "strings"

// Op is the operator of an Expr.
type Op int

// The operators. A phrase has no operands.
const (
	Phrase Op = iota
	And
	Or
	Not // matches the left operand and not the right one
)

// Expr is a query.
type Expr struct {
	Op          Op
	Left, Right *Expr
	Words       []string // of a phrase; a phrase without words matches nothing
	Prefix      bool     // the last word is a prefix
}

// Part is a token of a query: a phrase, or one of the operators AND, OR, NOT, ( and ).
type Part struct {
	Operator string // empty for a phrase
	Text     string // of the phrase
	Prefix   bool   // the phrase's last word is a prefix
}

// Parse parses a query. Adjacent terms must all match. If an operator is misplaced, all operators
// are ignored and all phrases must match. Parse returns nil if there is no phrase.
func Parse(parts []Part) *Expr {
	p := parser{parts: joined(parts)}
	if e := p.expression(0); e != nil && len(p.parts) == 0 {
		return e
	}
	var all *Expr
	for _, part := range parts {
		if part.Operator == "" {
			all = and(all, phrase(part))
		}
	}
	return all
}

func and(left, right *Expr) *Expr {
	if left == nil {
		return right
	}
	return &Expr{Op: And, Left: left, Right: right}
}

func phrase(p Part) *Expr { return &Expr{Op: Phrase, Words: Split(p.Text), Prefix: p.Prefix} }

// joined inserts an AND between adjacent terms.
func joined(parts []Part) (out []Part) {
	for i, p := range parts {
		if i > 0 && (p.Operator == "" || p.Operator == "(") && (parts[i-1].Operator == "" || parts[i-1].Operator == ")") {
			out = append(out, Part{Operator: "AND"})
		}
		out = append(out, p)
	}
	return out
}

// binding is the precedence of each operator. All are left-associative.
var binding = map[string]int{"OR": 1, "AND": 2, "NOT": 3}

var operators = map[string]Op{"OR": Or, "AND": And, "NOT": Not}

// maxStack limits the nesting as FTS5 does. FTS5's parser has a stack of 99 symbols and needs two
// for an operand.
const maxStack = 98

// parser parses the tokens of a query. Its methods return nil after a syntax error.
type parser struct {
	parts []Part
	stack int // symbols that would be on FTS5's stack
}

// expression parses operands and operators with at least the precedence least.
func (p *parser) expression(least int) *Expr {
	left := p.operand()
	for left != nil && len(p.parts) > 0 {
		op := p.parts[0].Operator
		if binding[op] <= least {
			break
		}
		p.parts = p.parts[1:]
		p.stack += 2
		right := p.expression(binding[op])
		p.stack -= 2
		if right == nil {
			return nil
		}
		left = &Expr{Op: operators[op], Left: left, Right: right}
	}
	return left
}

func (p *parser) operand() *Expr {
	if len(p.parts) == 0 || p.stack >= maxStack {
		return nil
	}
	part := p.parts[0]
	p.parts = p.parts[1:]
	switch part.Operator {
	case "":
		return phrase(part)
	case "(":
		p.stack++
		e := p.expression(0)
		p.stack--
		if e == nil || len(p.parts) == 0 || p.parts[0].Operator != ")" {
			return nil
		}
		p.parts = p.parts[1:]
		return e
	}
	return nil
}

// Text is a text to match queries against.
type Text struct {
	words []string
	at    map[string][]int // indices of each word in the text
}

// NewText splits a text into words.
func NewText(text string) *Text {
	t := &Text{words: Split(text), at: map[string][]int{}}
	for i, word := range t.words {
		t.at[word] = append(t.at[word], i)
	}
	return t
}

// Match reports whether a message with these texts matches the query. A phrase must match within
// one text.
func (e *Expr) Match(texts ...*Text) bool {
	switch e.Op {
	case And:
		return e.Left.Match(texts...) && e.Right.Match(texts...)
	case Or:
		return e.Left.Match(texts...) || e.Right.Match(texts...)
	case Not:
		return e.Left.Match(texts...) && !e.Right.Match(texts...)
	}
	for _, t := range texts {
		if t.holds(e.Words, e.Prefix) {
			return true
		}
	}
	return false
}

func (t *Text) holds(words []string, prefix bool) bool {
	switch {
	case len(words) == 0:
		return false
	case len(words) == 1 && prefix:
		for word := range t.at {
			if strings.HasPrefix(word, words[0]) {
				return true
			}
		}
		return false
	}
	for _, at := range t.at[words[0]] {
		if t.holdsAt(at, words, prefix) {
			return true
		}
	}
	return false
}

// holdsAt reports whether the words occur at index at.
func (t *Text) holdsAt(at int, words []string, prefix bool) bool {
	if at+len(words) > len(t.words) {
		return false
	}
	for i, word := range words {
		if got := t.words[at+i]; got != word && (!prefix || i < len(words)-1 || !strings.HasPrefix(got, word)) {
			return false
		}
	}
	return true
}
