package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Finder finds the libraries of one source.
type Finder struct {
	Dir   string            // the folder of the source
	Given map[string]string // folders by import path
}

// ParseGiven reads what is given for import paths, as in example.com/rng=DIR.
func ParseGiven(list []string) (map[string]string, error) {
	given := map[string]string{}
	for _, text := range list {
		importPath, dir, ok := strings.Cut(text, "=")
		switch {
		case !ok || importPath == "" || dir == "":
			return nil, fmt.Errorf("%q is no import path with its folder; write example.com/rng=FOLDER", text)
		case given[importPath] != "":
			return nil, fmt.Errorf("there are two folders for %s", importPath)
		}
		given[importPath] = dir
	}
	return given, nil
}

// Files returns the names of the files of the library with an import path.
func (f *Finder) Files(importPath string) ([]string, error) {
	dir, err := f.dir(importPath)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s", dir)
	case err != nil:
		return nil, err
	}
	var names []string
	for _, e := range entries { // sorted by name
		if strings.HasSuffix(e.Name(), ".ti") && !e.IsDir() {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("folder %s has no .ti files", dir)
	}
	return names, nil
}

// dir returns the folder of a library.
func (f *Finder) dir(importPath string) (string, error) {
	if dir := f.Given[importPath]; dir != "" {
		return dir, nil
	}
	root, module, err := moduleAround(f.Dir)
	switch {
	case err != nil:
		return "", err
	case root == "":
		return "", fmt.Errorf("there is no go.mod around the source: make one (go mod init), or give the folder, -lib %s=FOLDER", importPath)
	}
	if rest, ok := strings.CutPrefix(importPath+"/", module+"/"); ok {
		dir := filepath.Join(root, filepath.FromSlash(rest))
		if of, _, err := moduleAround(dir); err == nil && of == root { // and not one of a module within
			return dir, nil
		}
	}
	return f.list(importPath)
}

// PathOf returns the import path of a library in a folder: that in the module around it, or the name of the folder.
func PathOf(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	root, module, err := moduleAround(dir)
	if err != nil || module == "" {
		return filepath.Base(dir), err
	}
	rel, err := filepath.Rel(root, dir)
	return path.Join(module, filepath.ToSlash(rel)), err
}

// moduleAround returns the folder of the go.mod around a folder, and the path of its module; "" if there is none.
func moduleAround(dir string) (root, module string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, modulePath(string(text)), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "", nil
		}
		dir = up
	}
}

// modulePath reads the module line of a go.mod; "" if there is none.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			if path, err := strconv.Unquote(words[1]); err == nil {
				return path
			}
			return words[1]
		}
	}
	return ""
}

// list asks the go command for the folder of a package.
func (f *Finder) list(importPath string) (string, error) {
	cmd := exec.Command("go", "list", "-e", "-find", "-f", "{{.Dir}}\n{{with .Error}}{{.Err}}{{end}}", "--", importPath)
	cmd.Dir = f.Dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("it is in another module, and there is no go command to find it; give its folder, -lib %s=FOLDER", importPath)
	}
	dir, problem, _ := strings.Cut(string(out), "\n")
	if dir = strings.TrimSpace(dir); err == nil && dir != "" {
		return dir, nil
	}
	why := firstLine(problem, stderr.String())
	return "", fmt.Errorf("go list does not find it%s; go get %s adds it to the module, and -lib %[2]s=FOLDER gives its folder", why, importPath)
}

// firstLine is the first line that one of the texts has, behind a colon.
func firstLine(texts ...string) string {
	lines := strings.Split(strings.Join(texts, "\n"), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	if i < 0 {
		return ""
	}
	return ": " + strings.TrimSuffix(strings.TrimSpace(lines[i]), ":")
}
