package gallery

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
)

// linkVersion is that of links, and mostLink how many characters they have at most, as in playground/static/share.js.
const (
	linkVersion = 1
	mostLink    = 16 << 10
)

// Link is the part of an address of the playground, behind the #, that has a program: its texts, deflated.
func Link(source, scene string) (string, error) {
	text, err := json.Marshal(map[string]string{"source": source, "scene": scene})
	if err != nil {
		return "", err
	}
	sum := fnv.New32a()
	sum.Write(text)
	all, err := json.Marshal(map[string]any{"version": linkVersion, "sum": sum.Sum32(), "text": string(text)})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(all); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	link := "p=" + base64.RawURLEncoding.EncodeToString(b.Bytes())
	if len(link) > mostLink {
		return "", fmt.Errorf("the program is too long for a link, which has room for %d characters", mostLink)
	}
	return link, nil
}
