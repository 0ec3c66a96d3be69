// task0
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> errs: array<atomic<u32>>; // failures, 1 plus the number of a site, and its values
@group(0) @binding(2) var<storage, read_write> base0: array<u32>;
@group(0) @binding(3) var<storage, read_write> base1: array<u32>;

fn claims(site: u32) -> bool {
	var first: bool = false;
	loop {
		let tried = atomicCompareExchangeWeak(&errs[1], 0u, site);
		if (tried.exchanged) {
			first = true;
			break;
		}
		if (tried.old_value != 0u) { break; }
	}
	return first;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
	let v1: i32 = 4i;
	let v2: u32 = 4u;
	let v3: u32 = 1000u;
	var at: u32 = given[0] + thread.x;
	loop {
		if (at >= given[1]) {
			break;
		}
		var rest: u32 = at;
		let v4: i32 = bitcast<i32>(0u + rest);
		let v5: u32 = bitcast<u32>(v4);
		let v6: i32 = v4 * v1;
		let v7: u32 = bitcast<u32>(v6);
		let v8: u32 = v7;
		let v9: i32 = bitcast<i32>(base0[(v8) >> 2u]);
		let v10: u32 = bitcast<u32>(v9);
		let v11: u32 = bitcast<u32>(v9);
		let v12: u32 = v11 * v2;
		let v13: u32 = v12;
		let v14: bool = v11 < v3;
		if (v14) {
			base1[(v13) >> 2u] = bitcast<u32>(v4);
		} else {
			atomicAdd(&errs[0], 1u);
			if (claims(1u)) {
				atomicStore(&errs[2], v10);
			}
		}
		continue;
		continuing {
			at = at + groups.x * 64u;
		}
	}
}
