package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/store"
)

// Fields has each field of the struct once, except for Limit.
func TestFieldsAreAllOfFilter(t *testing.T) {
	var f store.Filter
	at := map[any]string{}
	for _, d := range store.Fields() {
		if other := at[d.In(&f)]; other != "" {
			t.Errorf("%s and %s are the same field", other, d.Name)
		}
		at[d.In(&f)] = d.Name
	}
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; {
		case name == "Limit":
		case strings.ToLower(name) != at[v.Field(i).Addr().Interface()]:
			t.Errorf("%s is not in Fields under its name", name)
		}
	}
}

// filters generates filters of fields that are parameters of the API.
func filters() *rapid.Generator[store.Filter] {
	return rapid.Custom(func(t *rapid.T) (f store.Filter) {
		for _, d := range store.Fields() {
			if d.Usage == "" || rapid.Bool().Draw(t, d.Name+" is missing") {
				continue
			}
			switch v := d.In(&f).(type) {
			case *string:
				*v = rapid.SampledFrom([]string{"claude", "/srv/a b", "50%&x=1", "é", "c0ffee"}).Draw(t, d.Name)
			case *bool:
				*v = true
			case *time.Time:
				*v = time.Unix(0, rapid.Int64Range(1, 1<<62).Draw(t, d.Name)).UTC()
			}
		}
		return f
	})
}

func TestFilterComesBackFromParameters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := filters().Draw(t, "filter")
		values, got := want.Values(), store.Filter{}
		for _, d := range store.Fields() {
			if text := values.Get(d.Name); text != "" {
				if err := d.Parse(&got, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(store.Position{})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", values, diff)
		}
	})
}

// What a program asks for is not a parameter, and what is no value of its kind is refused.
func TestParametersAreChecked(t *testing.T) {
	f := store.Filter{Outside: true, Processes: true, Unread: true, ID: "x", After: store.Position{Key: 1}, Limit: 1}
	if values := f.Values(); len(values) > 0 {
		t.Errorf("%v", values)
	}
	for _, d := range store.Fields() {
		text := map[string]string{"since": "tuesday", "until": "2026-11-20", "live": "maybe", "after": "1.2"}[d.Name]
		if text == "" {
			continue
		}
		if err := d.Parse(&f, text); err == nil {
			t.Errorf("%s=%s is taken", d.Name, text)
		}
	}
}

func TestParametersAreCleaned(t *testing.T) {
	var f store.Filter
	for _, d := range store.Fields() {
		if text := map[string]string{"cwd": "/srv/app/", "commit": "ABC123"}[d.Name]; text != "" {
			if err := d.Parse(&f, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if f.Cwd != "/srv/app" || f.Commit != "abc123" {
		t.Errorf("%+v", f)
	}
}
