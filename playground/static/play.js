// The playground: an editor for a kernel source and its scene, and the window in which it runs.

import {tiEditor} from "./editor.js";
import {pack, unpack} from "./share.js";

const $ = (id) => document.getElementById(id);
const status = (text, bad = false) => {
	$("status").textContent = text;
	$("status").classList.toggle("bad", bad);
};

// The worker with the program. One that does not answer is ended, and another one started: what runs is lost, and the texts are not.
const stopTime = 1000; // milliseconds
let worker = null, ready = false, take = null, waiting = null, runs = false;

const start = () => {
	ready = false;
	worker = new Worker("worker.js");
	worker.onmessage = (e) => hear(e.data);
	worker.onerror = (e) => lost(e.message);
};

const lost = (why) => {
	worker?.terminate();
	worker = null;
	ready = runs = false;
	clearTimeout(waiting);
	status(`The program does not run: ${why}. Press Run to start it again.`, true);
	document.documentElement.dataset.state = "lost";
};

const hear = (m) => {
	if (m instanceof ArrayBuffer || m.window) {
		take?.(m instanceof ArrayBuffer ? m : m.window);
	} else if (m.ready) {
		ready = true;
		run();
	} else if (m.open) {
		take = tiWindow($("ti-window"), (event) => worker?.postMessage({event}));
	} else if (m.lost) {
		lost(m.lost);
	} else if (m.missing) {
		lost("");
		status(`This browser has no ${m.missing}, which kernels are compiled to; browsers since 2023 have all that this page needs.`, true);
	}
	if (m.errors) show(m.errors);
	if (m.state) changed(m);
	if (m.print !== undefined) print(m.print);
	if (m.inspected !== undefined) $("inspected").textContent = m.inspected;
};

// changed tells what has become of the scene.
const changed = (m) => {
	document.documentElement.dataset.state = m.state;
	clearTimeout(waiting);
	runs = m.state === "running";
	if (m.state === "running") status("Running.");
	if (m.shows !== undefined) $("ti-window").hidden = !m.shows;
	if (m.inspectable) choose(m.inspectable);
	if (m.state === "done") status("Stopped.");
	if (m.state === "failed") status(m.text, true);
};

const mostPrinted = 100_000;
const print = (text) => {
	const all = $("printed").textContent + text;
	$("printed").textContent = all.length > mostPrinted ? all.slice(-mostPrinted / 2) : all;
	$("printed").hidden = false;
	$("printed").scrollTop = $("printed").scrollHeight;
};

// The editors. A change runs the program anew as soon as nobody has typed for a moment.
const pause = 250; // milliseconds
let due = null;
const edited = () => {
	clearTimeout(due);
	due = setTimeout(run, pause);
};
const source = tiEditor($("source"), {label: "Kernels", language: "go", changed: edited, run: () => run()});
const scene = tiEditor($("scene"), {label: "Scene", language: "", changed: edited, run: () => run()});

// mostSource is the longest source that is run.
const mostSource = 1 << 20;
let asked = 0, frames = 0; // frames is how many there are, 0 for no limit
const run = () => {
	clearTimeout(due);
	if (!worker) start();
	if (!ready) return; // it runs as soon as the program is there
	if (source.text().length > mostSource || scene.text().length > mostSource) {
		status("The text is longer than a million characters, which is more than this page runs.", true);
		return;
	}
	asked = performance.now();
	worker.postMessage({do: "run", source: source.text(), scene: scene.text(), frames});
};

// show lists the mistakes, and underlines them. While there are some, the program before goes on.
const show = (list) => {
	document.documentElement.dataset.checked = (performance.now() - asked).toFixed(1);
	source.errors(list.filter((e) => e.file && e.file !== "scene"));
	scene.errors(list.filter((e) => e.file === "scene" && e.line > 0));
	$("errors").replaceChildren(...list.map((e) => {
		const item = document.createElement("li"), go = document.createElement("button");
		const where = e.file === "scene" ? e.line > 0 ? `scene, line ${e.line}: ` : "" : e.line > 0 ? `line ${e.line}: ` : "";
		go.textContent = where + e.text;
		go.onclick = () => (e.file === "scene" ? scene : source).go(e.line, e.column);
		item.append(go);
		if (e.help) {
			const help = document.createElement("small");
			help.textContent = e.help;
			item.append(help);
		}
		return item;
	}));
	if (list.length > 0) {
		document.documentElement.dataset.errors = list.length;
		status(runs ? "There are mistakes; the program before them goes on." : "There are mistakes.", true);
	} else {
		delete document.documentElement.dataset.errors;
	}
};

$("run").onclick = run;
$("stop").onclick = () => {
	if (!worker) return;
	worker.postMessage({do: "stop"});
	clearTimeout(waiting);
	waiting = setTimeout(() => {
		lost("it did not stop within a second, and was ended");
	}, stopTime);
};

// The pane with what the compiler makes of the kernels. It follows the program that runs.
const fill = (select, all, label) => {
	const before = select.value;
	select.replaceChildren(...all.map((name) => new Option(label(name), name)));
	select.value = all.includes(before) ? before : all[0];
};
const choose = ({kernels, stages}) => {
	fill($("kernel"), ["", ...kernels], (name) => name || "all");
	fill($("stage"), stages, (name) => name === "explain" ? "source with remarks" : name);
	inspect();
};
const inspect = () => {
	if (!$("compiler").hidden && ready) worker.postMessage({do: "inspect", kernel: $("kernel").value, stage: $("stage").value});
};
$("inspect").onclick = () => {
	$("compiler").hidden = !$("compiler").hidden;
	$("inspect").setAttribute("aria-expanded", String(!$("compiler").hidden));
	inspect();
};
$("kernel").onchange = $("stage").onchange = inspect;

// Share puts both texts into the part of the address that no server gets.
$("share").onclick = async () => {
	let link;
	try {
		link = await pack({source: source.text(), scene: scene.text()});
	} catch (e) {
		save();
		status(e.message + " It was saved as a file in place of that; open it with ti run -scene.", true);
		return;
	}
	history.replaceState(null, "", "#" + link);
	try {
		await navigator.clipboard.writeText(location.href);
		status("The link is copied, and stands in the address.");
	} catch {
		status("The link stands in the address.");
	}
};

// save hands the texts over as files. One text may have several sources, which the scene then does not name.
const save = () => {
	const lines = source.text().startsWith("-- ") ? scene.text().replace(/^\s*source\s.*$/gm, "") : scene.text();
	for (const [name, text] of [["playground.ti", source.text()], ["playground.scene", lines]]) {
		const a = document.createElement("a");
		a.href = URL.createObjectURL(new Blob([text], {type: "text/plain"}));
		a.download = name;
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 1000);
	}
};

// The scenes that can be chosen.
const load = async (name) => {
	const texts = await Promise.all(["ti", "scene"].map(async (kind) => {
		const answer = await fetch(`scenes/${name}.${kind}`);
		if (!answer.ok) throw new Error(`the scene ${name} is not here (${answer.status})`);
		return answer.text();
	}));
	set(...texts);
};
const set = (kernels, lines) => {
	source.set(kernels);
	scene.set(lines);
	$("printed").textContent = "";
	$("printed").hidden = true;
	run();
};

// open opens what the address names: a scene, a link, or else the first scene.
const open = async () => {
	const list = await (await fetch("scenes.json")).json();
	if ($("scenes").length === 0) {
		$("scenes").replaceChildren(...list.map((s) => new Option(s.title, s.name)));
	}
	let hash = location.hash.slice(1);
	if (hash === "embed" || hash.startsWith("embed&")) {
		document.body.classList.add("embed");
		hash = hash.slice(6);
	}
	const [, name, limit] = /^scene=([\w-]+)(?:&frames=(\d+))?$/.exec(hash) ?? [];
	frames = Number(limit ?? 0);
	try {
		if (hash !== "" && !name) {
			const texts = await unpack(hash);
			$("scenes").selectedIndex = -1;
			set(texts.source, texts.scene);
			return;
		}
		const chosen = name ?? list[0]?.name;
		$("scenes").value = chosen;
		await load(chosen);
	} catch (e) {
		status(e.message, true);
		document.documentElement.dataset.state = "refused";
	}
};
$("scenes").onchange = () => {
	history.pushState(null, "", "#scene=" + $("scenes").value);
	open();
};
addEventListener("hashchange", open);

start();
open();
