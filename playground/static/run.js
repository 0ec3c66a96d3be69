"use strict";
// The buttons of documents: each runs the example above it, in a frame below.

const root = document.body.dataset.root;
let frame = null; // one program runs at a time
for (const button of document.querySelectorAll("button[data-program]")) {
	button.onclick = () => {
		const again = frame?.previousElementSibling === button.parentElement;
		frame?.remove();
		frame = null;
		if (again && button.textContent === "Close") {
			button.textContent = button.dataset.text;
			return;
		}
		for (const b of document.querySelectorAll("button[data-text]")) b.textContent = b.dataset.text;
		button.dataset.text ??= button.textContent;
		button.textContent = "Close";
		frame = document.createElement("iframe");
		frame.title = "What the example does";
		frame.src = `${root}play.html#embed&${button.dataset.program}`;
		button.parentElement.after(frame);
	};
}
