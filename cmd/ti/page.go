package main

import "html/template"

// page is what the HTML page of `ti ir` shows.
type page struct {
	Title   string
	Source  []string
	Kernels []kernelPage
}

type kernelPage struct {
	Name   string
	Stages []stagePage
}

type stagePage struct {
	Name  string
	Lines []codeLine
}

// A codeLine is a line of IR or machine code, with the source line it came from.
type codeLine struct {
	Text string
	Row  int
}

// The page needs no network and no build: pointing at a line of code marks the
// source line that it came from, and the other way round.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>
body { margin: 0; font: 13px/1.45 ui-monospace, monospace; color: #222; background: #fff }
h2 { font: 600 15px sans-serif; margin: 12px }
main { display: flex; gap: 1px; background: #ddd; overflow-x: auto; align-items: flex-start }
section { background: #fff; flex: none; max-width: 46em; overflow-x: auto; padding: 0 8px 16px }
section.source { position: sticky; left: 0; z-index: 1; box-shadow: 2px 0 4px #0002 }
h3 { font: 600 13px sans-serif; margin: 8px 0; color: #36c }
pre { margin: 0; tab-size: 2 }
pre span { display: block; min-height: 1.45em }
.on { background: #ffe9a8 }
i { color: #999; font-style: normal; user-select: none }
@media (prefers-color-scheme: dark) {
	body, section { background: #1b1b1f; color: #ddd } main { background: #333 } .on { background: #5a4a10 } h3 { color: #8ab4f8 }
}
</style></head><body>
{{range .Kernels}}<h2>{{.Name}}</h2><main>
<section class="source"><h3>source</h3><pre>{{range $i, $l := $.Source}}<span data-row="{{add $i 1}}"><i>{{printf "%4d" (add $i 1)}} </i>{{$l}}</span>{{end}}</pre></section>
{{range .Stages}}<section><h3>{{.Name}}</h3><pre>{{range .Lines}}<span{{if .Row}} data-row="{{.Row}}"{{end}}>{{.Text}}</span>{{end}}</pre></section>
{{end}}</main>{{end}}
<script>
document.addEventListener("mouseover", e => {
	const row = e.target.closest("[data-row]")?.dataset.row
	document.querySelectorAll(".on").forEach(s => s.classList.remove("on"))
	if (row) document.querySelectorAll('[data-row="' + row + '"]').forEach(s => s.classList.add("on"))
})
</script></body></html>
`))
