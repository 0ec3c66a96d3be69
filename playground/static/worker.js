"use strict";
// The worker of a page: it loads the program of package playground, and hands messages on between the page and it.

importScripts("wasm_exec.js");

// What the program prints when it fails itself; kernels print by messages.
const decoder = new TextDecoder();
globalThis.fs.writeSync = (fd, bytes) => {
	postMessage({print: decoder.decode(bytes, {stream: true})});
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

(async () => {
	try {
		if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly");
		const go = new Go();
		go.argv = ["playground"];
		const {instance} = await WebAssembly.instantiateStreaming(program(), go.importObject);
		await go.run(instance);
		throw new Error("the program has ended");
	} catch (e) {
		postMessage({lost: String(e.message ?? e)});
	}
})();
