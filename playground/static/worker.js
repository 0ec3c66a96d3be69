"use strict";
// The worker of a page: it loads the program of package playground, and hands messages on between the page and it.

importScripts("wasm_exec.js");

// What the program prints when it fails itself; kernels print by messages. Of one that the browser gives no more memory, that is all there is to say.
const decoder = new TextDecoder();
let noMemory = false;
globalThis.fs.writeSync = (fd, bytes) => {
	const text = decoder.decode(bytes, {stream: true});
	noMemory ||= /^(runtime|fatal error): (out of memory|cannot allocate memory)/.test(text);
	if (!noMemory) postMessage({print: text});
	return bytes.length;
};
globalThis.fs.write = (fd, bytes, offset, length, position, callback) => callback(null, globalThis.fs.writeSync(fd, bytes.subarray(offset, offset + length)));

// The window of the program is in the page: see package gui.
globalThis.tiWindow = (root, send) => {
	globalThis.tiSend = send;
	postMessage({open: true});
	return (m) => m instanceof ArrayBuffer ? postMessage(m, [m]) : postMessage({window: m});
};
globalThis.requestAnimationFrame ??= (f) => setTimeout(f, 16);
globalThis.cancelAnimationFrame ??= clearTimeout;

// program is the code, which is compiled while it is loaded. It is compressed by gzip, unless a server has undone that.
const program = async () => {
	const answer = await fetch("playground.bin");
	if (!answer.ok) throw new Error(`the program cannot be loaded: ${answer.status} ${answer.statusText}`);
	const reader = answer.body.getReader(), first = await reader.read();
	const data = new ReadableStream({
		start: (to) => first.value && to.enqueue(first.value),
		pull: async (to) => {
			const {done, value} = await reader.read();
			done ? to.close() : to.enqueue(value);
		},
	});
	const packed = first.value?.[0] === 0x1f && first.value[1] === 0x8b;
	return new Response(packed ? data.pipeThrough(new DecompressionStream("gzip")) : data, {headers: {"Content-Type": "application/wasm"}});
};

// missing is what kernels need and this browser lacks: a module with one vector instruction tells.
const missing = () => {
	if (typeof WebAssembly !== "object") return "WebAssembly";
	const vectors = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
	return WebAssembly.validate(vectors) ? "" : "vector instructions of WebAssembly (SIMD)";
};

(async () => {
	if (missing()) {
		postMessage({missing: missing()});
		return;
	}
	try {
		const go = new Go();
		go.argv = ["playground"];
		const {instance} = await WebAssembly.instantiateStreaming(program(), go.importObject);
		await go.run(instance);
		throw new Error(noMemory ? "this browser gives it no more memory; make the fields of the scene smaller" : "the program has ended");
	} catch (e) {
		postMessage({lost: String(e.message ?? e)});
	}
})();
