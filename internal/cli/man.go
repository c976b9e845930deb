package cli

import (
	"bytes"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Command returns the command line as a tree, for documents about it.
func Command(env Env) *cobra.Command { return newRoot(env) }

func newMan() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Writes the manual pages",
		Long:  "Writes a manual page for each command into a folder that is new, empty, or was written by this command before.",
		Example: `  strata man -o share/man/man1
  MANPATH=share/man: man strata-diff`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files := map[string][]byte{}
			for _, c := range allCommands(cmd.Root()) {
				if !c.IsAvailableCommand() && c != cmd.Root() {
					continue
				}
				// A fixed date, so that the pages of one program are always the same.
				date := time.Unix(0, 0).UTC()
				header := &doc.GenManHeader{Section: "1", Source: "strata", Manual: "strata", Date: &date}
				var page bytes.Buffer
				c.DisableAutoGenTag = true
				if err := doc.GenMan(c, header, &page); err != nil {
					return err
				}
				files[manName(c)+".1"] = page.Bytes()
			}
			return writeDir(dir, files)
		},
	}
	cmd.Flags().StringVarP(&dir, "output-dir", "o", "man", "`DIR` to write to")
	return cmd
}

// manName is the name of a command's page: strata-golden-check.
func manName(c *cobra.Command) string {
	if c.HasParent() {
		return manName(c.Parent()) + "-" + c.Name()
	}
	return c.Name()
}
