// Package trace writes the tasks that threads ran, with their times, as a trace in JSON for viewers:
// chrome://tracing, https://ui.perfetto.dev and others.
//
// In: the tasks that a [launch.Recorder] has, with their chunks. Out: the format of the Chrome
// trace viewer (Google, "Trace Event Format", JSON object format), with a row for each thread.
package trace
