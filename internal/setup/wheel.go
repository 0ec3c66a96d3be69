package setup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// A wheel is a file of a registry of Python packages that has a libLLVM. Which bytes it has is known, so that it does not matter who serves it.
type wheel struct {
	goos, goarch   string
	version        string // of libLLVM; one that tests were run with, see [llvm.TestedVersions]
	project, maker string
	file           string
	bytes          int64
	sha256         string
	members        []member
}

// A member is a file in a wheel, and where it goes in the folder.
type member struct{ from, to string }

// wheels are the builds that there are: by third parties, since the LLVM project has none that is one library.
//
// libLLVM of karellen-llvm-core looks for the libraries of the same wheel in ../lib/x86_64-unknown-linux-gnu, by names that are links where pip installs it. It runs with
// glibc 2.15 and newer.
var wheels = []wheel{{
	goos: "linux", goarch: "amd64", version: "19.1.7",
	project: "karellen-llvm-core", maker: "Karellen, Inc.",
	file:   "karellen_llvm_core-19.1.7-py3-none-manylinux2014_x86_64.whl",
	bytes:  30004711,
	sha256: "9b16218ec269b63521a561b861e8e21cf8051b0c02bf0459d2b2ead968a82142",
	members: []member{
		{"karellen_llvm_core-19.1.7.data/data/lib/libLLVM.so.19.1", "lib/libLLVM.so.19.1"},
		{"karellen_llvm_core-19.1.7.data/data/lib/x86_64-unknown-linux-gnu/libc++.so.1.0", "lib/x86_64-unknown-linux-gnu/libc++.so.1"},
		{"karellen_llvm_core-19.1.7.data/data/lib/x86_64-unknown-linux-gnu/libc++abi.so.1.0", "lib/x86_64-unknown-linux-gnu/libc++abi.so.1"},
		{"karellen_llvm_core-19.1.7.data/data/lib/x86_64-unknown-linux-gnu/libunwind.so.1.0", "lib/x86_64-unknown-linux-gnu/libunwind.so.1"},
	},
}}

// ErrNoBuild is the error for a machine for which no registry has a libLLVM.
var ErrNoBuild = errors.New("no registry of packages has a libLLVM for this machine that is known here")

// wheelFor returns the wheel for a machine.
func wheelFor(goos, goarch string) (*wheel, error) {
	for i := range wheels {
		if w := &wheels[i]; w.goos == goos && w.goarch == goarch {
			return w, nil
		}
	}
	return nil, fmt.Errorf("%w (%s/%s)", ErrNoBuild, goos, goarch)
}

// here is the wheel for this machine.
func here() (*wheel, error) { return wheelFor(runtime.GOOS, runtime.GOARCH) }

// EnvIndex is the environment variable by which pip, too, is told of another index of packages than that of the Python Package Index.
const EnvIndex = "PIP_INDEX_URL"

// index is the index of packages, without a slash at its end.
func index() string {
	if named := os.Getenv(EnvIndex); named != "" {
		return strings.TrimRight(named, "/")
	}
	return "https://pypi.org/simple"
}

// A registry is where wheels come from.
type registry struct {
	client *http.Client
	index  string
}

const (
	answerTime   = 30 * time.Second // until a registry answers
	downloadTime = 15 * time.Minute
	largestPage  = 16 << 20
)

// newRegistry is the registry that the environment names, reached through the proxies that it names.
func newRegistry() *registry {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	transport.TLSHandshakeTimeout = answerTime
	return &registry{client: &http.Client{Transport: transport}, index: index()}
}

// get asks for an address. The caller closes what it returns.
func (r *registry) get(ctx context.Context, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("the address of the registry is none: %w", err)
	}
	req.Header.Set("Accept", accept)
	answer, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the registry cannot be reached: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close() // nothing was written
		return nil, fmt.Errorf("%s: the registry answers %s", shown(address), answer.Status)
	}
	return answer, nil
}

// shown is an address without a password in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the registry"
	}
	return u.Redacted()
}

var link = regexp.MustCompile(`(?i)href\s*=\s*["']([^"']+)["']`)

// find returns the address of a wheel: that of the link to it on the page of its project, which is one of HTML in every registry (PEP 503).
func (r *registry) find(ctx context.Context, w *wheel) (string, error) {
	page := r.index + "/" + w.project + "/"
	answer, err := r.get(ctx, page, "text/html")
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	text, err := io.ReadAll(io.LimitReader(answer.Body, largestPage))
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown(page), err)
	}
	for _, m := range link.FindAllSubmatch(text, -1) {
		to, err := answer.Request.URL.Parse(html.UnescapeString(string(m[1])))
		if err != nil || filepath.Base(to.Path) != w.file {
			continue
		}
		to.Fragment = ""
		return to.String(), nil
	}
	return "", fmt.Errorf("%s has no file %s", shown(page), w.file)
}

// download writes a wheel to a file, and fails unless it is the one that is meant, byte by byte.
func (r *registry) download(ctx context.Context, w *wheel, address string, to io.Writer) error {
	answer, err := r.get(ctx, address, "application/octet-stream, */*;q=0.5")
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(answer.Body, w.bytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("after %d of %d bytes: %w", n, w.bytes, err)
	case n != w.bytes:
		return fmt.Errorf("%s does not have the %d bytes of %s; nothing of it is used", shown(address), w.bytes, w.file)
	case hex.EncodeToString(sum.Sum(nil)) != w.sha256:
		return fmt.Errorf("%s is another file than %s: its SHA-256 is %x; nothing of it is used", shown(address), w.file, sum.Sum(nil))
	}
	return nil
}
