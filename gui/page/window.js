"use strict";
// The page of a window: it draws what the program sends, and tells it what people do.

// tiWindow makes a window of an element. send takes the events, as objects; what is returned takes the program's messages: objects, and pictures as ArrayBuffers.
function tiWindow(root, send) {
	const make = (kind, className, parent) => {
		const e = document.createElement(kind);
		e.className = className;
		parent.appendChild(e);
		return e;
	};
	root.replaceChildren();
	root.tiEnd?.abort(); // of the window before, whose keys these were
	const {signal} = root.tiEnd = new AbortController();
	const picture = make("div", "picture", root);
	const screen = make("canvas", "screen", picture);
	const above = make("canvas", "shapes", picture); // the picture with shapes, where there are some
	above.hidden = true;
	const panel = make("div", "panel", root);
	const status = make("div", "status", root);
	status.setAttribute("role", "status");
	screen.tabIndex = 0;
	const context = screen.getContext("2d");
	const widgets = new Map();
	let image = null, table = new Uint32Array(256);
	let shapes, camera = null, spatial = false, back = "#000000", latest = 0; // shapes is null in a browser without WebGL 2

	// fit scales the picture to the room that it has.
	const fit = () => {
		const room = picture.getBoundingClientRect();
		const scale = Math.min(room.width / screen.width, room.height / screen.height);
		if (!(scale > 0)) return; // a window of no size shows nothing
		for (const c of [screen, above]) {
			c.style.width = Math.max(1, Math.floor(screen.width * scale)) + "px";
			c.style.height = Math.max(1, Math.floor(screen.height * scale)) + "px";
		}
		render();
		screen.style.imageRendering = scale >= 2 ? "pixelated" : "auto";
	};
	// render draws the shapes of the last frame, from where the camera is now.
	const render = () => {
		if (above.hidden) return;
		const ratio = globalThis.devicePixelRatio || 1;
		shapes.render(Math.max(1, Math.round(parseFloat(above.style.width) * ratio)), Math.max(1, Math.round(parseFloat(above.style.height) * ratio)), ratio, camera);
	};
	let due = false;
	const move = (c) => {
		camera = c;
		if (!due) { due = true; requestAnimationFrame(() => { due = false; render(); }); }
	};
	const orbit = tiOrbit(screen, () => spatial && camera && !camera.fixed ? camera : null, move, signal);
	new ResizeObserver(fit).observe(picture);

	const sized = (width, height) => {
		if (screen.width !== width || screen.height !== height) {
			screen.width = width;
			screen.height = height;
			image = null;
			fit();
		}
	};

	// paint paints a picture: format, number, width, height, colours of the palette, and then these and the pixels.
	const paint = (buffer, at) => {
		const [format, , width, height, colours] = new Uint32Array(buffer, at, 5);
		const start = at + 20 + 4 * colours;
		sized(width, height);
		image ??= context.createImageData(width, height);
		if (format === 2) {
			image.data.set(new Uint8Array(buffer, start, 4 * width * height));
		} else {
			if (format === 1) table.set(new Uint32Array(buffer, at + 20, colours));
			else for (let i = 0; i < 256; i++) table[i] = 0xff000000 | i << 16 | i << 8 | i;
			const out = new Uint32Array(image.data.buffer), pixels = new Uint8Array(buffer, start, width * height);
			for (let i = 0; i < pixels.length; i++) out[i] = table[pixels[i]];
		}
		context.putImageData(image, 0, 0);
	};

	// draw draws what a message has: a picture, or a picture that may be missing, and shapes.
	const draw = async (buffer) => {
		const [kind, number, width, height, bytes] = new Uint32Array(buffer, 0, 5);
		const whole = kind === 4, at = whole ? 20 : 0, end = whole ? at + bytes : buffer.byteLength;
		const jpeg = end > at && new Uint32Array(buffer, at, 1)[0] === 3;
		const bitmap = jpeg && await createImageBitmap(new Blob([new Uint8Array(buffer, at + 20, end - at - 20)], {type: "image/jpeg"}));
		if (number > latest) { // none that is later was quicker
			latest = number;
			if (end === at || jpeg) sized(width, height);
			if (jpeg) context.drawImage(bitmap, 0, 0);
			else if (end > at) paint(buffer, at);
			else {
				context.fillStyle = back;
				context.fillRect(0, 0, width, height);
			}
			cover(whole ? tiReadShapes(buffer, end + 3 & ~3) : [], end > at);
			root.dataset.drawn = number;
		}
		if (jpeg) bitmap.close();
		send({kind: "drawn", frame: number});
	};

	// cover draws shapes above the picture, or uncovers it.
	const cover = (all, hasPicture) => {
		spatial = all.some((s) => s.dims === 3);
		if (all.length > 0) {
			if (shapes === undefined) {
				shapes = tiShapes(above);
				signal.addEventListener("abort", () => shapes?.end());
			}
			if (!shapes) status.textContent = "This browser has no WebGL 2, which draws points, lines and triangles. The window shows the rest.";
		}
		above.hidden = all.length === 0 || !shapes;
		if (above.hidden) return;
		shapes.set(all, hasPicture ? screen : null, [1, 3, 5].map((i) => parseInt(back.slice(i, i + 2), 16) / 255));
		render();
	};

	// The mouse, and fingers.
	const at = (e) => {
		const r = screen.getBoundingClientRect();
		return {x: (e.clientX - r.left) / r.width, y: (e.clientY - r.top) / r.height};
	};
	const down = new Set();
	screen.addEventListener("pointerdown", (e) => {
		screen.focus({preventScroll: true});
		screen.setPointerCapture(e.pointerId);
		down.add(e.button);
		send({kind: "press", button: e.button, ...at(e)});
	});
	const released = (e) => {
		if (!down.delete(e.button)) return;
		send({kind: "release", button: e.button, ...at(e)});
	};
	screen.addEventListener("pointerup", released);
	screen.addEventListener("pointercancel", (e) => { for (const b of [...down]) released({button: b, clientX: e.clientX, clientY: e.clientY}); });
	screen.addEventListener("pointermove", (e) => {
		if (e.isPrimary) send({kind: "move", ...at(e)});
	});
	// While one button is down, another one is told so alone.
	screen.addEventListener("mousedown", (e) => { if (e.button === 1) e.preventDefault(); if (!down.has(e.button)) { down.add(e.button); send({kind: "press", button: e.button, ...at(e)}); } });
	screen.addEventListener("mouseup", released);
	screen.addEventListener("contextmenu", (e) => e.preventDefault());
	screen.addEventListener("wheel", (e) => {
		const notch = e.deltaMode === 0 ? 100 : e.deltaMode === 1 ? 3 : 1;
		orbit.zoom(-e.deltaY / notch);
		send({kind: "wheel", wheel: -e.deltaY / notch});
		e.preventDefault();
	}, {passive: false});

	// Keys, unless a widget has them, or something else of the page.
	const name = (e) => e.key === " " ? "Space" : e.key;
	const keyDown = new Map(); // by its place on the keyboard, since Shift changes the name
	const typing = (e) => panel.contains(e.target) || !root.contains(e.target) && e.target.closest?.("input, textarea, select, button, a, [contenteditable], [tabindex]");
	addEventListener("keydown", (e) => {
		if (typing(e) || e.ctrlKey || e.metaKey || e.altKey || e.key === "Tab") return;
		if (orbit.key(e.key)) e.preventDefault(); // also while it stays down
		if (e.repeat) return;
		keyDown.set(e.code, name(e));
		send({kind: "keydown", key: name(e)});
		e.preventDefault();
	}, {signal});
	addEventListener("keyup", (e) => {
		if (!keyDown.has(e.code)) return;
		send({kind: "keyup", key: keyDown.get(e.code)});
		keyDown.delete(e.code);
	}, {signal});
	addEventListener("blur", () => { keyDown.clear(); down.clear(); send({kind: "blur"}); }, {signal});

	// Widgets.
	const makers = {
		slider(w, box, label) {
			const out = make("output", "", box), input = make("input", "", box);
			box.insertBefore(out, label);
			input.type = "range";
			input.min = w.low ?? 0;
			input.max = w.high ?? 0;
			input.step = "any";
			input.addEventListener("input", () => { show(input.valueAsNumber); send({kind: "widget", widget: w.number, value: input.valueAsNumber}); });
			const show = (v) => { out.value = Number.isInteger(+v) ? +v : Math.abs(v) >= 100 ? Math.round(v) : Number(v).toPrecision(3); };
			return {input, set: (w) => { if (document.activeElement !== input) input.value = w.value; show(w.value); }};
		},
		checkbox(w, box, label) {
			const input = make("input", "", label);
			input.type = "checkbox";
			label.prepend(input);
			input.addEventListener("change", () => send({kind: "widget", widget: w.number, value: input.checked}));
			return {input, set: (w) => { input.checked = w.value; }};
		},
		button(w, box, label) {
			const input = make("button", "", box);
			input.textContent = w.label;
			label.remove();
			input.addEventListener("click", () => send({kind: "widget", widget: w.number}));
			return {input, set() {}};
		},
		choice(w, box) {
			const input = make("select", "", box);
			for (const o of w.options) make("option", "", input).textContent = o;
			input.addEventListener("change", () => send({kind: "widget", widget: w.number, value: input.selectedIndex}));
			return {input, set: (w) => { input.selectedIndex = w.value; }};
		},
		text(w, box) {
			const out = make("div", "", box);
			return {set: (w) => { out.textContent = w.value; }};
		},
		plot(w, box, label) {
			const canvas = make("canvas", "", box), points = [];
			canvas.width = 480;
			canvas.height = 200;
			canvas.setAttribute("role", "img");
			const paint = () => {
				const c = canvas.getContext("2d");
				c.clearRect(0, 0, 480, 200);
				if (points.length === 0) return;
				let [x0, y0] = points[0], [x1, y1] = points[0];
				for (const [x, y] of points) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
				c.strokeStyle = "#3080d0";
				c.lineWidth = 3;
				c.beginPath();
				for (const [x, y] of points) c.lineTo(4 + 472 * (x - x0) / (x1 - x0 || 1), 196 - 192 * (y - y0) / (y1 - y0 || 1));
				c.stroke();
				const last = points[points.length - 1][1].toPrecision(4);
				label.textContent = w.label + ": " + last;
				canvas.setAttribute("aria-label", `${w.label}: ${last}, from ${y0.toPrecision(4)} to ${y1.toPrecision(4)}`);
			};
			let due = false;
			const soon = () => { if (!due) { due = true; requestAnimationFrame(() => { due = false; paint(); }); } };
			return {set: (w) => { points.splice(0, points.length, ...(w.points ?? [])); soon(); }, add: (all) => { points.push(...all); soon(); }};
		},
	};
	const show = (w) => {
		let one = widgets.get(w.number);
		if (!one) {
			const box = make("div", "widget", panel), label = make("label", "", box);
			label.textContent = w.label;
			one = makers[w.kind](w, box, label);
			if (one.input) label.htmlFor = one.input.id = "ti-widget-" + w.number;
			widgets.set(w.number, one);
		}
		one.set(w);
	};

	return (m) => {
		if (m instanceof ArrayBuffer) return draw(m);
		if (m.hello) {
			document.title = m.hello.title;
			screen.setAttribute("aria-label", m.hello.title);
			status.textContent = "";
			panel.replaceChildren();
			widgets.clear();
			sized(m.hello.width, m.hello.height);
			back = m.hello.back ?? "#000000";
			[latest, camera, spatial, above.hidden] = [0, null, false, true];
		}
		if (m.camera) move(m.camera);
		if (m.widget) show(m.widget);
		if (m.add) widgets.get(m.add.number)?.add(m.add.points);
		if (m.end) status.textContent = m.end;
	};
}

// tiConnect shows the window of a program that serves this page, and waits for it where it has ended.
function tiConnect(root) {
	let socket = null, ended = false;
	const take = tiWindow(root, (e) => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(e)); });
	const connect = () => {
		socket = new WebSocket(new URL("events", location.href.replace(/^http/, "ws")));
		socket.binaryType = "arraybuffer";
		socket.onmessage = (e) => {
			const m = typeof e.data === "string" ? JSON.parse(e.data) : e.data;
			if (m.hello) ended = false;
			if (m.end) ended = true;
			take(m);
		};
		socket.onclose = () => {
			if (!ended) take({end: "The program does not answer. This page waits for it."});
			setTimeout(connect, 1000);
		};
	};
	connect();
}

globalThis.tiWindow = tiWindow; // for a program in the page, which evaluates this text
{
	const root = document.getElementById("ti-window"); // with data-program where the program is in the page
	if (root && !globalThis.Go && root.dataset.program === undefined) tiConnect(root);
}
