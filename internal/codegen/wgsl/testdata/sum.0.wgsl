// task0
// given[2] is the lower word of argument slot 0.
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> base0: array<u32>;
@group(0) @binding(2) var<storage, read_write> base1: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
	let v1: f32 = bitcast<f32>(given[2]);
	var a2: array<f32, 1>;
	let v3: f32 = bitcast<f32>(2147483648u);
	a2[0u] = v3;
	let v4: i32 = 256i;
	let v5: i32 = 4i;
	var at: u32 = given[0] + thread.x;
	loop {
		if (at >= given[1]) {
			break;
		}
		var rest: u32 = at;
		let v6: i32 = bitcast<i32>(0u + rest % (64u));
		rest = rest / (64u);
		let v7: i32 = bitcast<i32>(0u + rest);
		let v8: i32 = v7 * v4;
		let v9: u32 = bitcast<u32>(v8);
		let v10: i32 = v6 * v5;
		let v11: u32 = bitcast<u32>(v10);
		let v12: u32 = v9 + v11;
		let v13: u32 = v12;
		let v14: f32 = bitcast<f32>(base0[(v13) >> 2u]);
		let v15: bool = v14 > v1;
		if (v15) {
			let v16: f32 = a2[0u];
			let v17: f32 = v16 + v14;
			a2[0u] = v17;
		}
		continue;
		continuing {
			at = at + groups.x * 64u;
		}
	}
	let v18: f32 = a2[0u];
	var w19: u32 = atomicLoad(&base1[(0u) >> 2u]);
	loop {
		let v20: f32 = bitcast<f32>(w19);
		let x21 = atomicCompareExchangeWeak(&base1[(0u) >> 2u], w19, bitcast<u32>(v20 + v18));
		if (x21.exchanged) {
			break;
		}
		w19 = x21.old_value;
	}
	let v22: f32 = bitcast<f32>(w19);
}
