// Command playground is the program of the gallery's pages: it compiles and shows scenes in a browser, for GOOS=js alone. The command ti site builds it.
//
// It runs in a worker of the page. In, as messages of the page:
//
//	{do: "run", source, scene, frames}   show a scene, without end if frames is 0; if it has mistakes, the one before goes on
//	{do: "stop"}                 end the scene
//	{do: "explain"}              say how the source was compiled
//	{do: "event", event}         what people do in the window, see package gui
//
// Out, as messages to the page:
//
//	{ready: true}                        once, when messages are heard
//	{errors: [{file, line, column, text, help, code}]}   the mistakes of what was to run; none if it runs
//	{state: "running" | "done" | "failed", text}
//	{print: text}                        what kernels print, and results
//	{explain: text}
//	{window: message}, or an ArrayBuffer with a picture: for the window of the page
//
// A scene runs in one goroutine. Kernels run on the thread of the worker, which hears messages every 10 ms (package internal/wasm); what does not give way in time ends with the worker, and the page
// starts another one.
//
// Tests: cmd/ti plays the gallery in a browser, where there is one (TestSite).
package main
