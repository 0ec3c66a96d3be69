// Writes the licences of what the editor's bundle contains.
const fs = require("fs"), path = require("path");
const texts = new Map();
const visit = (dir) => {
	for (const name of fs.readdirSync(dir).sort()) {
		const at = path.join(dir, name);
		if (name.startsWith("@")) { visit(at); continue; }
		if (/^(esbuild|\.)/.test(name) || at.includes("@esbuild")) continue;
		const file = ["LICENSE", "LICENSE.md"].map((f) => path.join(at, f)).find(fs.existsSync);
		if (!file) throw new Error(at + " has no licence");
		const text = fs.readFileSync(file, "utf8").trim();
		texts.set(text, [...(texts.get(text) ?? []), path.relative("node_modules", at)]);
	}
};
visit("node_modules");
fs.writeFileSync("../static/editor.LICENSES.txt", [...texts].map(([text, names]) => names.join(", ") + "\n\n" + text + "\n").join("\n----\n\n"));
