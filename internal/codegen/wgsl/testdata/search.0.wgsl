// task0
// given[2] is the lower word of argument slot 0.
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> base0: array<u32>;
@group(0) @binding(2) var<storage, read_write> base1: array<u32>;
@group(0) @binding(3) var<storage, read_write> base2: array<u32>;

fn isNaN(v: f32) -> bool {
	return (bitcast<u32>(v) & 2147483647u) > 2139095040u;
}

fn toI32(v: f32) -> i32 {
	if (isNaN(v)) { return 0i; }
	if (v >= 2147483648.0f) { return 2147483647i; }
	if (v < -2147483648.0f) { return bitcast<i32>(2147483648u); }
	return i32(v);
}

fn divI(a: i32, b: i32) -> i32 {
	if (b == 0i) { return 0i; }
	if (b == -1i) { return -a; }
	return a / b;
}

fn remI(a: i32, b: i32) -> i32 {
	if (b == 0i || b == -1i) { return 0i; }
	return a % b;
}

fn floorDivI(a: i32, b: i32) -> i32 {
	let r: i32 = remI(a, b);
	if (r != 0i && (r ^ b) < 0i) { return divI(a, b) - 1i; }
	return divI(a, b);
}

fn shiftLeft(v: u32, n: u32) -> u32 {
	if (n >= 32u) { return 0u; }
	return v << n;
}

fn roundAway(v: f32) -> f32 {
	let whole: f32 = trunc(v);
	let rest: f32 = v - whole;
	if (rest >= 0.5f) { return whole + 1.0f; }
	if (rest <= -0.5f) { return whole - 1.0f; }
	return whole;
}

fn maxF(a: f32, b: f32) -> f32 {
	if (isNaN(a)) { return a; }
	if (a == b) { return bitcast<f32>(bitcast<u32>(a) & bitcast<u32>(b)); }
	return select(b, a, a > b);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
	let v1: i32 = 0i;
	let v2: i32 = -1i;
	let v3: i32 = 40i;
	let v4: i32 = 30i;
	let v5: u32 = 4u;
	let v6: i32 = 4i;
	let v7: u32 = 256u;
	let v8: f32 = 2.5f;
	var at: u32 = given[0] + thread.x;
	loop {
		if (at >= given[1]) {
			break;
		}
		var rest: u32 = at;
		let v9: i32 = bitcast<i32>(0u + rest);
		let v10: u32 = bitcast<u32>(v9);
		let v11: u32 = v10 * v5;
		let v12: u32 = v11;
		var c13: i32 = v1;
		var c14: i32 = v2;
		loop {
			let v15: i32 = c13;
			if (v15 >= v3) {
				break;
			}
			let v16: i32 = c14;
			let v17: i32 = v15 * v6;
			let v18: u32 = bitcast<u32>(v17);
			let v19: u32 = v18;
			var c20: i32 = v1;
			var c21: i32 = v16;
			loop {
				let v22: i32 = c20;
				if (v22 >= v4) {
					break;
				}
				let v23: i32 = c21;
				let v24: i32 = bitcast<i32>(base0[(v12) >> 2u]);
				let v25: i32 = v15 * v22;
				let v26: i32 = bitcast<i32>(base1[(v19) >> 2u]);
				let v27: i32 = v25 + v26;
				let v28: bool = v24 == v27;
				var c29: i32;
				if (v28) {
					let v30: i32 = bitcast<i32>(shiftLeft(bitcast<u32>(v15), bitcast<u32>(v22)));
					c21 = v30;
					break;
				} else {
					c29 = v23;
				}
				let v31: i32 = c29;
				let v32: i32 = v22 * v6;
				let v33: u32 = bitcast<u32>(v32);
				let v34: u32 = v33;
				let v35: i32 = bitcast<i32>(base1[(v34) >> 2u]);
				let v36: bool = v35 < v1;
				let v37: i32 = floorDivI(v24, v22);
				let v38: i32 = v31 - v37;
				let v39: i32 = select(v38, v31, v36);
				c21 = v39;
				continue;
				continuing {
					c20 = c20 + 1;
				}
			}
			let v40: i32 = c21;
			let v41: bool = v40 > v1;
			if (v41) {
				c14 = v40;
				break;
			}
			c14 = v40;
			continue;
			continuing {
				c13 = c13 + 1;
			}
		}
		let v42: i32 = c14;
		let v43: u32 = v10 * v7;
		let v44: u32 = v43;
		let v45: f32 = bitcast<f32>(base2[(v44) >> 2u]);
		let v46: f32 = maxF(v45, v8);
		let v47: f32 = sqrt(v46);
		let v48: f32 = roundAway(v47);
		let v49: i32 = toI32(v48);
		let v50: i32 = v42 + v49;
		base1[(v12) >> 2u] = bitcast<u32>(v50);
		continue;
		continuing {
			at = at + groups.x * 64u;
		}
	}
}
