// The editor of the playground, made of CodeMirror. The page knows nothing else of it than this function.

import {basicSetup, EditorView} from "codemirror";
import {EditorState} from "@codemirror/state";
import {keymap} from "@codemirror/view";
import {go} from "@codemirror/lang-go";
import {setDiagnostics} from "@codemirror/lint";

// tiEditor puts an editor into an element. language is "go" or "". changed is called when the text has changed, run for Ctrl+Enter.
export function tiEditor(parent, {label, language, changed, run}) {
	const extensions = [
		keymap.of([{key: "Mod-Enter", run() { run(); return true; }}]), // before the keys of the set-up
		basicSetup,
		EditorState.tabSize.of(4),
		EditorView.lineWrapping,
		EditorView.contentAttributes.of({"aria-label": label}),
		EditorView.updateListener.of((u) => { if (u.docChanged && !u.transactions.some((t) => t.isUserEvent("page"))) changed(); }),
	];
	if (language === "go") extensions.push(go());
	const view = new EditorView({parent, extensions});
	const offset = (line, column) => {
		const l = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
		return [Math.min(l.from + bytes(l.text, column), l.to), l.to];
	};
	// bytes is the index of a column, which counts bytes of UTF-8 from 1 on.
	const bytes = (text, column) => {
		if (column <= 1) return 0;
		let n = 1, i = 0;
		for (const c of text) {
			if (n >= column) break;
			const code = c.codePointAt(0);
			n += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
			i += c.length;
		}
		return i;
	};
	return {
		text: () => view.state.doc.toString(),
		set(text) {
			view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}, userEvent: "page"});
		},
		// errors underlines mistakes: {line, column, text, help}.
		errors(list) {
			const marks = list.map((e) => {
				const [from, end] = offset(e.line, e.column);
				const word = /^[\p{L}\p{N}_]+/u.exec(view.state.doc.sliceString(from, end));
				const to = e.column > 0 ? Math.min(end, from + (word ? word[0].length : 1)) : end;
				return {from, to: Math.max(from, to), severity: "error", message: e.help ? e.text + "\n" + e.help : e.text};
			});
			view.dispatch(setDiagnostics(view.state, marks));
		},
		// go puts the cursor at a place.
		go(line, column) {
			const [at] = offset(line, column);
			view.dispatch({selection: {anchor: at}, scrollIntoView: true});
			view.focus();
		},
	};
}
