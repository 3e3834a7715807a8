// Package flaggroup puts the flags of a command into groups, which help pages list one by one.
package flaggroup

// Key is the annotation of a flag that has the title of its group.
const Key = "ptyrec_group"

// Set puts flags, such as those of a *pflag.FlagSet, into a group. It panics if a flag does not
// exist.
func Set(flags interface {
	SetAnnotation(name, key string, values []string) error
}, title string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, Key, []string{title}); err != nil {
			panic(err)
		}
	}
}
