// Package usage sums up the tokens that agents used, and their cost.
package usage

import (
	_ "embed" // the prices
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

//go:embed prices.toml
var listed string

// Prices are the prices of models.
type Prices struct {
	Date   string           `toml:"date" json:"date"`        // date of the list
	Path   string           `toml:"-" json:"path,omitempty"` // path of the file; empty for the built-in prices
	Models map[string]Price `toml:"models" json:"-"`
}

// Price is the price of a model, in US dollars for a million tokens. Reading from or writing to a
// cache costs the same as other input, unless it is set.
type Price struct {
	Input      float64  `toml:"input"`
	CacheRead  *float64 `toml:"cache_read"`
	CacheWrite *float64 `toml:"cache_write"`
	Output     float64  `toml:"output"`
}

// Listed returns the built-in prices.
func Listed() *Prices {
	p, err := parse(listed)
	if err != nil {
		panic("usage: " + err.Error()) // a test has parsed them
	}
	return p
}

// LoadPrices reads the user's prices from the file at path or, if path is empty, from the file at
// standard if it exists. They replace all built-in prices.
func LoadPrices(path, standard string) (*Prices, error) {
	wanted := path != ""
	if !wanted {
		path = standard
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !wanted {
		return Listed(), nil
	}
	if err != nil {
		return nil, failure.New(err, "stats.prices in the configuration names the file of the prices")
	}
	p, err := parse(string(text))
	if err != nil {
		return nil, failure.New(fmt.Errorf("%s: %w", path, err), "docs/usage.md describes the file of prices")
	}
	p.Path = path
	return p, nil
}

func parse(text string) (*Prices, error) {
	var p Prices
	meta, err := toml.Decode(text, &p)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %s", unknown[0])
	}
	for name, price := range p.Models {
		for _, x := range []*float64{&price.Input, &price.Output, price.CacheRead, price.CacheWrite} {
			if x != nil && (*x < 0 || math.IsNaN(*x) || math.IsInf(*x, 0)) {
				return nil, fmt.Errorf("models.%s: a price of %v", name, *x)
			}
		}
	}
	return &p, nil
}

// variant matches what may follow the name of a model without making it another model.
var variant = lazy.Regexp(`^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-preview(-[\d-]+)?|@[\w.-]+|:[\w.-]+)*(\[1m\])?$`)

// Of returns the price of a model.
func (p *Prices) Of(model string) (Price, bool) {
	if at := strings.LastIndexByte(model, '/'); at >= 0 {
		model = model[at+1:]
	}
	for n := len(model); n > 0; n-- {
		if price, ok := p.Models[model[:n]]; ok && variant().MatchString(model[n:]) {
			return price, true
		}
	}
	return Price{}, false
}

// Cost returns the cost in US dollars: as reported by the agent, else computed from the model's
// price. known is false if there is no price.
func (p *Prices) Cost(u session.Usage) (dollars float64, known bool) {
	if u.Cost != nil {
		return *u.Cost, true
	}
	price, ok := p.Of(u.Model)
	if !ok || u.Input+u.CacheRead+u.CacheWrite+u.Output == 0 { // a total alone cannot be priced
		return 0, false
	}
	read, write := price.Input, price.Input
	if price.CacheRead != nil {
		read = *price.CacheRead
	}
	if price.CacheWrite != nil {
		write = *price.CacheWrite
	}
	sum := float64(u.Input)*price.Input + float64(u.CacheRead)*read + float64(u.CacheWrite)*write +
		float64(u.Output)*price.Output
	return sum / 1e6, true
}
