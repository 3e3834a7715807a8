package cli

// flagGroup is the annotation of a flag that has the title of its group.
const flagGroup = "ptyrec_group"

// GroupFlags puts flags, such as those of a *pflag.FlagSet, into a group. It panics if a flag does
// not exist.
func GroupFlags(flags interface {
	SetAnnotation(name, key string, values []string) error
}, title string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, flagGroup, []string{title}); err != nil {
			panic(err)
		}
	}
}
