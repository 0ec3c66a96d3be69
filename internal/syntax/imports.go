package syntax

import "strconv"

// Imports returns the paths that the files import, each once, in the order of the text.
func Imports(files []*File) (paths []string) {
	known := map[string]bool{}
	for _, f := range files {
		for _, spec := range f.Tree.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && !known[p] {
				known[p] = true
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// Libraries returns the files of the libraries that the files import, and of those that these import, in the order of
// their first import. find parses those of one library, whose path it is given; none if there is no such library.
func Libraries(files []*File, find func(path string) []*File) (all []*File) {
	known := map[string]bool{}
	for paths := Imports(files); len(paths) > 0; {
		p := paths[0]
		paths = paths[1:]
		if known[p] || p == "" {
			continue
		}
		known[p] = true
		library := find(p)
		all = append(all, library...)
		paths = append(paths, Imports(library)...)
	}
	return all
}
