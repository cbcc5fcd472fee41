// Command dashboard says what Grafana's own schema has against dashboards: fields that it does not know, fields that
// are missing, values of another type, rules that a value breaks. It ends with 1 if there is anything.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func complaints(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	board := dashboard.Dashboard{}
	for _, err := range []error{board.UnmarshalJSONStrict(raw), board.Validate()} {
		// the schema's types also hand on lists of no errors
		if err != nil && err.Error() != "" {
			return err.Error()
		}
	}
	return ""
}

func main() {
	// what each kind of panel and of query may hold
	plugins.RegisterDefaultPlugins()
	status := 0
	for _, path := range os.Args[1:] {
		if said := complaints(path); said != "" {
			fmt.Printf("%s: %s\n", path, said)
			status = 1
		}
	}
	os.Exit(status)
}
