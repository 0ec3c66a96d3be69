// task0
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> base0: array<u32>;
@group(0) @binding(2) var<storage, read_write> base1: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
	let v1: i32 = 256i;
	let v2: u32 = 256u;
	let v3: i32 = 4i;
	let v4: u32 = 4294967040u;
	let v5: f32 = 0.25f;
	var at: u32 = given[0] + thread.x;
	loop {
		if (at >= given[1]) {
			break;
		}
		var rest: u32 = at;
		let v6: i32 = bitcast<i32>(1u + rest % (62u));
		rest = rest / (62u);
		let v7: i32 = bitcast<i32>(1u + rest);
		let v8: i32 = v7 * v1;
		let v9: u32 = bitcast<u32>(v8);
		let v10: i32 = v6 * v3;
		let v11: u32 = bitcast<u32>(v10);
		let v12: u32 = v9 + v11;
		let v13: u32 = v12 + v4;
		let v14: u32 = v13;
		let v15: f32 = bitcast<f32>(base0[(v14) >> 2u]);
		let v16: u32 = v12 + v2;
		let v17: u32 = v16;
		let v18: f32 = bitcast<f32>(base0[(v17) >> 2u]);
		let v19: f32 = v15 + v18;
		let v20: f32 = v19 * v5;
		let v21: u32 = v12;
		base1[(v21) >> 2u] = bitcast<u32>(v20);
		continue;
		continuing {
			at = at + groups.x * 64u;
		}
	}
}
