// task0
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> base0: array<u32>;
@group(0) @binding(2) var<storage, read_write> base1: array<atomic<u32>>;

fn remI(a: i32, b: i32) -> i32 {
	if (b == 0i || b == -1i) { return 0i; }
	return a % b;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
	let v1: i32 = 4i;
	let v2: i32 = 3i;
	let v3: i32 = 7i;
	let v4: i32 = 1i;
	let v5: u32 = 16u;
	var at: u32 = given[0] + thread.x;
	loop {
		if (at >= given[1]) {
			break;
		}
		var rest: u32 = at;
		let v6: i32 = bitcast<i32>(0u + rest);
		let v7: i32 = v6 * v1;
		let v8: u32 = bitcast<u32>(v7);
		let v9: u32 = v8;
		let v10: i32 = bitcast<i32>(base0[(v9) >> 2u]);
		let v11: i32 = v10 * v2;
		let v12: i32 = v11 + v6;
		let v13: i32 = remI(v12, v3);
		base0[(v9) >> 2u] = bitcast<u32>(v13);
		let v14: i32 = v13 & v2;
		let v15: i32 = v14 * v1;
		let v16: u32 = bitcast<u32>(v15);
		let v17: u32 = v16;
		let v18: i32 = bitcast<i32>(atomicAdd(&base1[(v17) >> 2u], bitcast<u32>(v4)));
		var w19: u32 = atomicLoad(&base1[(v5) >> 2u]);
		loop {
			let v20: i32 = bitcast<i32>(w19);
			let x21 = atomicCompareExchangeWeak(&base1[(v5) >> 2u], w19, bitcast<u32>(max(v20, v6)));
			if (x21.exchanged) {
				break;
			}
			w19 = x21.old_value;
		}
		let v22: i32 = bitcast<i32>(w19);
		continue;
		continuing {
			at = at + groups.x * 64u;
		}
	}
}
