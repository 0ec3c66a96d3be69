// Links that contain a program: its texts, deflated, in letters that addresses may have. Nothing leaves the machine before somebody sends the link.

const version = 1;
export const mostLink = 16 << 10; // characters

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

// sum tells texts from altered ones (FNV-1a).
const sum = (text) => {
	let h = 0x811c9dc5;
	for (const b of new TextEncoder().encode(text)) h = Math.imul(h ^ b, 0x01000193) >>> 0;
	return h;
};

// pack makes the part of the address behind #.
export const pack = async ({source, scene}) => {
	const text = JSON.stringify({source, scene});
	const bytes = await through(new TextEncoder().encode(JSON.stringify({version, sum: sum(text), text})), new CompressionStream("deflate-raw"));
	let binary = "";
	for (const b of bytes) binary += String.fromCharCode(b);
	const link = "p=" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
	if (link.length > mostLink) throw new Error(`The program is too long for a link, which has room for ${mostLink} characters.`);
	return link;
};

const damaged = "This link is damaged: a part is missing, or was changed. Ask for it once more.";
const most = 4 << 20; // bytes of texts in a link: of a small one could come any number

// unpack returns the texts of a link.
export const unpack = async (link) => {
	let data;
	try {
		if (!link.startsWith("p=")) throw 0;
		const binary = atob(link.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
		const reader = new Blob([Uint8Array.from(binary, (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
		const parts = [];
		for (let n = 0;;) {
			const {done, value} = await reader.read();
			if (done) break;
			if ((n += value.length) > most) throw 0;
			parts.push(value);
		}
		data = JSON.parse(await new Blob(parts).text());
	} catch {
		throw new Error(damaged);
	}
	if (data?.version > version) throw new Error("This link was made by a later version of this page. Load the page anew, or ask for the program as a file.");
	if (typeof data?.text !== "string" || data.sum !== sum(data.text)) throw new Error(damaged);
	try {
		const {source, scene} = JSON.parse(data.text);
		if (typeof source === "string" && typeof scene === "string") return {source, scene};
	} catch { /* below */ }
	throw new Error(damaged);
};
