"use strict";
// Points, lines and triangles of a window, by WebGL 2, and the camera that people move.

// tiReadShapes reads the shapes of a message from a byte on; see appendShape in shapes.go.
function tiReadShapes(buffer, at) {
	const shapes = [];
	let left = new Uint32Array(buffer, at, 1)[0];
	at += 4;
	const take = (Type, n) => {
		const a = new Type(buffer, at, n);
		at += a.byteLength;
		return a;
	};
	for (; left > 0; left--) {
		const [kind, dims, count, indices, parts] = take(Uint32Array, 5);
		const s = {kind, dims, count, radius: take(Float32Array, 1)[0], color: take(Uint8Array, 4)};
		s.positions = take(Float32Array, dims * count);
		if (parts & 1) s.radii = take(Float32Array, count);
		if (parts & 2) s.colors = take(Uint8Array, 4 * count);
		if (parts & 4) s.index = take(Uint32Array, indices);
		shapes.push(s);
	}
	return shapes;
}

// tiCamera has the ways in which a camera moves: each returns a camera. They are those of package raster, which the recording of a window uses.
const tiCamera = (() => {
	const add = (a, b) => a.map((x, i) => x + b[i]), sub = (a, b) => a.map((x, i) => x - b[i]), times = (a, s) => a.map((x) => x * s);
	const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], size = (a) => Math.sqrt(dot(a, a));
	const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
	const unit = (a) => size(a) > 0 ? times(a, 1 / size(a)) : [1, 0, 0];
	const across = (a) => unit(cross(a, Math.abs(a[0]) < 0.9 * size(a) ? [1, 0, 0] : [0, 1, 0]));
	const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
	const axes = (c) => {
		const forward = unit(sub(c.target, c.eye));
		let right = cross(forward, c.up);
		if (size(right) < 1e-9 * size(c.up)) right = across(forward);
		right = unit(right);
		return {right, up: cross(right, forward), forward};
	};
	const half = (c) => Math.tan(c.fov * Math.PI / 360);
	return {
		axes, half, distance: (c) => size(sub(c.eye, c.target)),
		turn(c, dx, dy) {
			const off = sub(c.eye, c.target), up = unit(c.up), d = size(off), high = dot(off, up);
			let flat = sub(off, times(up, high));
			if (size(flat) < 1e-9 * d) flat = across(up);
			flat = unit(flat);
			const polar = clamp(Math.acos(clamp(high / d, -1, 1)) - Math.PI * dy, 0.02, Math.PI - 0.02), by = -Math.PI * dx;
			flat = add(times(flat, Math.cos(by)), times(cross(up, flat), Math.sin(by)));
			return {...c, eye: add(add(c.target, times(flat, d * Math.sin(polar))), times(up, d * Math.cos(polar)))};
		},
		pan(c, dx, dy) {
			const {right, up} = axes(c), height = 2 * size(sub(c.eye, c.target)) * half(c);
			const by = add(times(right, -dx * height), times(up, dy * height));
			return {...c, eye: add(c.eye, by), target: add(c.target, by)};
		},
		zoom: (c, notches) => ({...c, eye: add(c.target, times(sub(c.eye, c.target), Math.pow(0.9, clamp(notches, -20, 20))))}),
	};
})();

// tiKeys are the keys that move a camera: how far each turns it, in heights of the picture, and how many notches nearer it brings it; see orbit.go.
const tiKeys = {
	ArrowLeft: [-1 / 36, 0, 0], ArrowRight: [1 / 36, 0, 0], ArrowUp: [0, -1 / 36, 0], ArrowDown: [0, 1 / 36, 0],
	"+": [0, 0, 1], PageUp: [0, 0, 1], "-": [0, 0, -1], PageDown: [0, 0, -1],
};

// tiOrbit has people move a camera over an element until a signal ends it. get returns it, or null where it does not move, and set takes another one.
function tiOrbit(element, get, set, signal) {
	const pointers = new Map(); // that are down, by their number
	const height = () => element.getBoundingClientRect().height;
	// spread is how far two fingers are from each other, and where their middle is.
	const spread = () => {
		const [a, b] = [...pointers.values()];
		return {far: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
	};
	element.addEventListener("pointerdown", (e) => pointers.set(e.pointerId, {x: e.clientX, y: e.clientY, button: e.button}));
	const up = (e) => pointers.delete(e.pointerId);
	element.addEventListener("pointerup", up);
	element.addEventListener("pointercancel", up);
	addEventListener("blur", () => pointers.clear(), {signal});
	element.addEventListener("pointermove", (e) => {
		const p = pointers.get(e.pointerId), camera = get();
		if (!p) return;
		const before = pointers.size === 2 ? spread() : null, dx = (e.clientX - p.x) / height(), dy = (e.clientY - p.y) / height();
		p.x = e.clientX;
		p.y = e.clientY;
		if (!camera || !(height() > 0)) return;
		if (before) {
			const after = spread();
			const nearer = before.far > 0 && after.far > 0 ? Math.log(before.far / after.far) / Math.log(0.9) : 0;
			set(tiCamera.zoom(tiCamera.pan(camera, (after.x - before.x) / height(), (after.y - before.y) / height()), nearer));
		} else if (pointers.size === 1) {
			set(p.button === 0 ? tiCamera.turn(camera, dx, dy) : tiCamera.pan(camera, dx, dy));
		}
	});
	return {
		zoom(notches) { const camera = get(); if (camera) set(tiCamera.zoom(camera, notches)); },
		// key moves the camera by a key, and reports whether it has.
		key(name) {
			const camera = get();
			if (!camera || !Object.hasOwn(tiKeys, name)) return false;
			const [x, y, nearer] = tiKeys[name];
			set(nearer !== 0 ? tiCamera.zoom(camera, nearer) : tiCamera.turn(camera, x, y));
			return true;
		},
	};
}

// tiShapes draws shapes into a canvas. It is null where there is no WebGL 2.
function tiShapes(canvas) {
	const gl = canvas.getContext("webgl2", {alpha: false, antialias: true});
	if (!gl) return null;
	const common = `#version 300 es
		precision highp float;
		precision highp int;
		uniform vec3 eye, right, up, forward;
		uniform float near, far, focal, smallest; // focal by half of the height
		uniform vec2 size; // of the canvas
		uniform bool space;
	`;
	// Points and lines are two triangles each, whose corners look up in textures what they are made of: instances, which would do without textures, take ten times as long
	// in browsers that draw by the processor.
	const place = `
		uniform highp sampler2D positions, radii, colors;
		uniform highp usampler2D index;
		uniform bool hasRadii, hasColors, hasIndex;
		uniform float radius;
		uniform vec4 color;
		uniform int row; // of a texture
		ivec2 texel(int i) { return ivec2(i % row, i / row); }
		// load is what position k of the shape has.
		void load(int k, out vec3 p, out float r, out vec4 c) {
			int i = hasIndex ? int(texelFetch(index, texel(k), 0).r) : k;
			p = texelFetch(positions, texel(i), 0).xyz;
			r = hasRadii ? texelFetch(radii, texel(i), 0).r : radius;
			c = hasColors ? texelFetch(colors, texel(i), 0) : color;
		}
		// corner is that of the rectangle, from -1 to 1.
		vec2 corner() {
			int v = gl_VertexID % 6, k = v < 3 ? v : v - 2;
			return vec2(k & 1, k >> 1) * 2.0 - 1.0;
		}
		vec3 local(vec3 p) {
			p -= eye;
			return vec3(dot(p, right), dot(p, up), dot(p, forward));
		}
		float depth(float distance) { return (1.0 / near - 1.0 / distance) / (1.0 / near - 1.0 / far); }
		// place is where a position is in pixels, how deep, and its radius in pixels.
		vec4 place(vec3 p, float r) {
			if (!space) return vec4(p.x * size.x, (1.0 - p.y) * size.y, 0.0, max(r * size.y, smallest));
			float f = focal * 0.5 * size.y;
			return vec4(0.5 * size + p.xy / p.z * f, depth(p.z), max(r / p.z * f, smallest));
		}
		// front is how deep the front of a line is: one along an edge of a triangle lies in front of it.
		float front(vec3 p, float r) { return space ? depth(max(p.z * (1.0 - r / (focal * 0.5 * size.y)), near)) : 0.0; }
		vec4 clip(vec3 p) { return vec4(2.0 * p.xy / size - 1.0, 2.0 * p.z - 1.0, 1.0); }
		const vec4 nowhere = vec4(2.0, 2.0, 2.0, 1.0);
	`;
	const light = `
		out vec4 result;
		void lit(vec4 c, float light, float cover) {
			if (cover <= 0.0) discard;
			result = space ? vec4(c.rgb * (0.35 + 0.65 * light), cover) : vec4(c.rgb, c.a * cover);
		}
	`;
	const sources = [
		[`out vec2 off; flat out float r; flat out vec4 tint;
		void main() {
			vec3 p;
			load(gl_VertexID / 6, p, r, tint);
			if (space) p = local(p);
			vec4 at = place(p, r);
			r = at.w;
			off = corner() * (r + 1.0);
			gl_Position = space && !(p.z >= near) ? nowhere : clip(vec3(at.xy + off, at.z));
		}`, `in vec2 off; flat in float r; flat in vec4 tint;
		void main() {
			float d = length(off);
			lit(tint, sqrt(max(1.0 - d * d / (r * r), 0.0)), clamp(r + 0.5 - d, 0.0, 1.0));
		}`],
		[`out vec2 at; flat out vec4 A, B, colorA, colorB;
		void main() {
			vec3 p, q;
			float ra, rb;
			load(gl_VertexID / 6 * 2, p, ra, colorA);
			load(gl_VertexID / 6 * 2 + 1, q, rb, colorB);
			if (space) {
				p = local(p);
				q = local(q);
			}
			if (space && !(max(p.z, q.z) >= near)) { gl_Position = nowhere; return; }
			vec3 p0 = p;
			if (space && p.z < near) p += (q - p) * (near - p.z) / (q.z - p.z);
			if (space && q.z < near) q += (p0 - q) * (near - q.z) / (p0.z - q.z);
			A = place(p, ra);
			B = place(q, rb);
			A.z = front(p, A.w);
			B.z = front(q, B.w);
			vec2 along = B.xy - A.xy;
			along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
			float reach = max(A.w, B.w) + 1.0;
			vec2 s = corner();
			at = (s.x < 0.0 ? A.xy : B.xy) + reach * (s.x * along + s.y * vec2(-along.y, along.x));
			gl_Position = clip(vec3(at, s.x < 0.0 ? A.z : B.z));
		}`, `in vec2 at; flat in vec4 A, B, colorA, colorB;
		void main() {
			vec2 along = B.xy - A.xy;
			float t = clamp(dot(at - A.xy, along) / max(dot(along, along), 1e-12), 0.0, 1.0);
			lit(mix(colorA, colorB, t), 1.0, clamp(mix(A.w, B.w, t) + 0.5 - length(at - mix(A.xy, B.xy, t)), 0.0, 1.0));
			gl_FragDepth = mix(A.z, B.z, t);
		}`],
		[`in vec3 a; in vec4 ca;
		out vec3 seen; out vec4 tint;
		void main() {
			tint = ca;
			seen = a;
			if (space) seen = vec3(dot(a - eye, right), dot(a - eye, up), dot(a - eye, forward));
			gl_Position = space ? vec4(seen.x * focal * size.y / size.x, seen.y * focal, 2.0 * (seen.z / near - 1.0) / (1.0 / near - 1.0 / far) - seen.z, seen.z)
				: vec4(2.0 * a.x - 1.0, 1.0 - 2.0 * a.y, 0.0, 1.0);
		}`, `in vec3 seen; in vec4 tint;
		void main() {
			lit(tint, space ? abs(normalize(cross(dFdx(seen), dFdy(seen))).z) : 1.0, 1.0);
		}`],
		[`out vec2 uv;
		void main() {
			uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
			gl_Position = vec4(2.0 * uv - 1.0, 0.0, 1.0);
			uv.y = 1.0 - uv.y;
		}`, `in vec2 uv;
		uniform sampler2D image;
		out vec4 result;
		void main() { result = texture(image, uv); }`],
	];
	let programs, texture, kept;
	const compile = (kind, text) => {
		const s = gl.createShader(kind);
		gl.shaderSource(s, text);
		gl.compileShader(s);
		return s;
	};
	const begin = () => {
		kept = {vertices: [], indices: [], textures: []}; // to be filled again
		texture = gl.createTexture();
		programs = sources.map(([vertex, fragment], kind) => {
			const p = gl.createProgram();
			gl.attachShader(p, compile(gl.VERTEX_SHADER, common + (kind < 2 ? place : "") + vertex));
			gl.attachShader(p, compile(gl.FRAGMENT_SHADER, common + (kind < 3 ? light : "") + fragment));
			gl.linkProgram(p);
			if (!gl.getProgramParameter(p, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error("the shader " + kind + ": " + gl.getProgramInfoLog(p));
			gl.useProgram(p);
			["positions", "radii", "colors", "index"].forEach((name, unit) => gl.uniform1i(gl.getUniformLocation(p, name), unit));
			const at = new Proxy({}, {get: (known, name) => known[name] ??= gl.getUniformLocation(p, name)});
			return {p, at, a: gl.getAttribLocation(p, "a"), ca: gl.getAttribLocation(p, "ca")};
		});
	};
	begin();

	// What is drawn, and how it lies in buffers and textures.
	let shapes = [], image = null, back = [0, 0, 0], used;
	const row = Math.min(4096, gl.getParameter(gl.MAX_TEXTURE_SIZE)); // elements in a row of a texture
	const upload = (target, data) => {
		const of = target === gl.ARRAY_BUFFER ? "vertices" : "indices"; // a buffer is bound to one target all of its life
		const handle = kept[of][used[of]++] ??= gl.createBuffer();
		gl.bindBuffer(target, handle);
		gl.bufferData(target, data, gl.STREAM_DRAW);
		return handle;
	};
	// store stores the elements of an array in a texture, each of some numbers.
	const store = (data, each, inner, format, type) => {
		const t = kept.textures[used.textures++] ??= {handle: gl.createTexture()};
		const n = data.length / each, rows = Math.max(1, Math.ceil(n / row)), whole = Math.floor(n / row);
		gl.bindTexture(gl.TEXTURE_2D, t.handle);
		if (t.rows !== rows || t.inner !== inner) {
			for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
			gl.texImage2D(gl.TEXTURE_2D, 0, inner, row, rows, 0, format, type, null);
			[t.rows, t.inner] = [rows, inner];
		}
		if (whole > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, row, whole, format, type, data);
		if (n > whole * row) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, whole, n - whole * row, 1, format, type, data, whole * row * each);
		return t.handle;
	};
	const load = () => {
		used = {vertices: 0, indices: 0, textures: 0};
		gl.activeTexture(gl.TEXTURE0);
		for (const s of shapes) {
			s.corners = s.index ? s.index.length : s.count;
			if (s.kind === 2) {
				s.at = upload(gl.ARRAY_BUFFER, s.positions);
				s.c = s.colors && upload(gl.ARRAY_BUFFER, s.colors);
				s.i = s.index && upload(gl.ELEMENT_ARRAY_BUFFER, s.index);
				continue;
			}
			const [inner, format] = s.dims === 3 ? [gl.RGB32F, gl.RGB] : [gl.RG32F, gl.RG];
			s.textures = [
				store(s.positions, s.dims, inner, format, gl.FLOAT),
				s.radii ? store(s.radii, 1, gl.R32F, gl.RED, gl.FLOAT) : null,
				s.colors ? store(s.colors, 4, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE) : null,
				s.index ? store(s.index, 1, gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT) : null,
			];
		}
		if (image) {
			gl.bindTexture(gl.TEXTURE_2D, texture);
			gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
		}
	};

	// input has an input of a shader come from a buffer.
	const input = (where, buffer, each, type) => {
		gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
		gl.enableVertexAttribArray(where);
		gl.vertexAttribPointer(where, each, type, type !== gl.FLOAT, 0, 0);
	};
	const draw = (s) => {
		const {at, a, ca} = programs[s.kind], color = [...s.color].map((v) => v / 255);
		if (s.kind < 2) {
			s.textures.forEach((t, unit) => {
				gl.activeTexture(gl.TEXTURE0 + unit);
				gl.bindTexture(gl.TEXTURE_2D, t);
			});
			gl.activeTexture(gl.TEXTURE0);
			gl.uniform1i(at.row, row);
			gl.uniform1i(at.hasRadii, s.radii ? 1 : 0);
			gl.uniform1i(at.hasColors, s.colors ? 1 : 0);
			gl.uniform1i(at.hasIndex, s.index ? 1 : 0);
			gl.uniform1f(at.radius, s.radius);
			gl.uniform4fv(at.color, color);
			gl.drawArrays(gl.TRIANGLES, 0, 6 * Math.floor(s.corners / (s.kind + 1)));
			return;
		}
		input(a, s.at, s.dims, gl.FLOAT);
		if (s.c) input(ca, s.c, 4, gl.UNSIGNED_BYTE);
		else gl.vertexAttrib4fv(ca, color);
		if (s.i) {
			gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.i);
			gl.drawElements(gl.TRIANGLES, s.corners, gl.UNSIGNED_INT, 0);
		} else gl.drawArrays(gl.TRIANGLES, 0, s.corners);
		gl.disableVertexAttribArray(a);
		gl.disableVertexAttribArray(ca);
	};
	const aim = (kind, camera, space, smallest) => {
		const {p, at} = programs[kind];
		gl.useProgram(p);
		gl.uniform2f(at.size, canvas.width, canvas.height);
		gl.uniform1f(at.smallest, smallest);
		gl.uniform1i(at.space, space ? 1 : 0);
		if (!space) return;
		const {right, up, forward} = tiCamera.axes(camera), d = tiCamera.distance(camera);
		gl.uniform3fv(at.eye, camera.eye);
		gl.uniform3fv(at.right, right);
		gl.uniform3fv(at.up, up);
		gl.uniform3fv(at.forward, forward);
		gl.uniform1f(at.near, d / 100);
		gl.uniform1f(at.far, d * 100);
		gl.uniform1f(at.focal, 1 / tiCamera.half(camera));
	};
	// render draws all in a size of pixels, of which a pixel of the page has some along an axis.
	const render = (width, height, ratio, camera) => {
		if (canvas.width !== width) canvas.width = width;
		if (canvas.height !== height) canvas.height = height;
		gl.viewport(0, 0, width, height);
		gl.clearColor(...back, 1);
		gl.depthMask(true);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
		gl.disable(gl.DEPTH_TEST);
		gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
		gl.enable(gl.BLEND);
		gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
		if (image) {
			gl.useProgram(programs[3].p);
			gl.bindTexture(gl.TEXTURE_2D, texture);
			const filter = width >= 2 * image.width ? gl.NEAREST : gl.LINEAR;
			for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) {
				gl.texParameteri(gl.TEXTURE_2D, name, value);
			}
			gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
		}
		gl.disable(gl.BLEND);
		gl.enable(gl.DEPTH_TEST);
		gl.depthFunc(gl.LEQUAL);
		gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE); // round edges are smooth
		for (const space of [true, false]) {
			if (!space) {
				gl.disable(gl.DEPTH_TEST);
				gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
				gl.enable(gl.BLEND);
			}
			for (const s of shapes) {
				if ((s.dims === 3) !== space || space && !camera) continue;
				aim(s.kind, camera, space, 0.75 * ratio);
				draw(s);
			}
		}
	};

	canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
	let last = null;
	canvas.addEventListener("webglcontextrestored", () => {
		begin();
		load();
		if (last) render(...last);
	});
	return {
		set(to, picture, background) {
			[shapes, image, back] = [to, picture, background];
			if (!gl.isContextLost()) load();
		},
		render(...how) {
			last = how;
			if (!gl.isContextLost()) render(...how);
		},
		end() { gl.getExtension("WEBGL_lose_context")?.loseContext(); }, // browsers have few
	};
}
