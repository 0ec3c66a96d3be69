define internal void @ti.zero(ptr %p0, i64 %p1, i64 %p2, i64 %p3) #2 {
entry:
  br label %start0
start0:
  %v1 = icmp sge i64 %p2, %p3
  br i1 %v1, label %then1, label %else2
then1:
  ret void
else2:
  br label %join3
join3:
  %v2 = load ptr, ptr %p0, align 8
  %v3 = mul i64 %p2, %p1
  %v4 = getelementptr inbounds i8, ptr %v2, i64 %v3
  %v5 = icmp ult i64 3, 64
  %v6 = select i1 %v5, i64 3, i64 63
  %v7 = ashr i64 %p1, %v6
  br label %loop4
loop4:
  %v8 = phi i64 [ 0, %join3 ], [ %v11, %else7 ]
  %v9 = mul nsw i64 %v8, 8
  %v10 = getelementptr inbounds i8, ptr %v4, i64 %v9
  store i64 0, ptr %v10, align 8
  %v11 = add nsw i64 %v8, 1
  %v12 = icmp eq i64 %v11, %v7
  br i1 %v12, label %then6, label %else7
left5:
  ret void
then6:
  br label %left5
else7:
  br label %loop4
}

define internal i64 @ti.take(ptr %p0, i64 %p1, ptr noundef nonnull align 8 %ctx) #2 {
entry:
  %v6 = getelementptr inbounds i8, ptr %ctx, i64 24
  %v7 = load i64, ptr %v6, align 8, !invariant.load !0
  br label %start0
start0:
  %v1 = getelementptr inbounds i8, ptr %p0, i64 48
  %v2 = load atomic i64, ptr %v1 monotonic, align 8
  %v3 = icmp ne i64 %v2, 0
  br i1 %v3, label %then1, label %else2
then1:
  ret i64 -1
else2:
  br label %join3
join3:
  %v4 = getelementptr inbounds i8, ptr %p0, i64 40
  %v5 = load ptr, ptr %v4, align 8
  %v8 = mul i64 %v7, 64
  %v9 = getelementptr inbounds i8, ptr %v5, i64 %v8
  %v10 = getelementptr inbounds i8, ptr %v9, i64 32
  %v11 = load i64, ptr %v10, align 8
  %v12 = icmp ne i64 %v11, 0
  br i1 %v12, label %then4, label %else5
then4:
  %v13 = getelementptr inbounds i8, ptr %v9, i64 32
  store i64 0, ptr %v13, align 8
  %v14 = sub i64 %v11, 1
  ret i64 %v14
else5:
  br label %join6
join6:
  %v15 = load i64, ptr %v9, align 8
  %v16 = getelementptr inbounds i8, ptr %v9, i64 8
  %v17 = load i64, ptr %v16, align 8
  %v18 = icmp slt i64 %v15, %v17
  br i1 %v18, label %then7, label %else8
then7:
  %v19 = add i64 %v15, 1
  store i64 %v19, ptr %v9, align 8
  %v20 = getelementptr inbounds i8, ptr %v9, i64 40
  %v21 = load i64, ptr %v20, align 8
  call void @ti.zero(ptr %p0, i64 %p1, i64 %v15, i64 %v21)
  ret i64 %v15
else8:
  br label %join9
join9:
  %v22 = getelementptr inbounds i8, ptr %p0, i64 24
  %v23 = load ptr, ptr %v22, align 8
  %v24 = getelementptr inbounds i8, ptr %v9, i64 16
  %v25 = load i64, ptr %v24, align 8
  %v26 = getelementptr inbounds i8, ptr %v9, i64 24
  %v27 = load i64, ptr %v26, align 8
  %v28 = icmp sgt i64 %v25, %v27
  br i1 %v28, label %then10, label %else11
then10:
  %v29 = sub i64 %v25, 1
  %v30 = getelementptr inbounds i8, ptr %v9, i64 16
  store i64 %v29, ptr %v30, align 8
  %v31 = mul i64 %v29, 8
  %v32 = getelementptr inbounds i8, ptr %v23, i64 %v31
  %v33 = load i64, ptr %v32, align 8
  ret i64 %v33
else11:
  br label %join12
join12:
  %v34 = getelementptr inbounds i8, ptr %p0, i64 32
  %v35 = getelementptr inbounds i8, ptr %p0, i64 32
  %v36 = load atomic i64, ptr %v35 monotonic, align 8
  %v37 = icmp sgt i64 %v36, 0
  br i1 %v37, label %then13, label %else14
then13:
  %v38 = atomicrmw sub ptr %v34, i64 32 monotonic, align 8
  %v39 = icmp sgt i64 %v38, 0
  br i1 %v39, label %then16, label %else17
else14:
  br label %join15
join15:
  %v48 = getelementptr inbounds i8, ptr %p0, i64 16
  %v49 = load i64, ptr %v48, align 8
  %v50 = icmp eq i64 %p1, 0
  %v51 = select i1 %v50, i64 1, i64 %p1
  %v52 = udiv i64 65536, %v51
  %v53 = select i1 %v50, i64 0, i64 %v52
  %v54 = call i64 @llvm.smax.i64(i64 %v53, i64 1)
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 64)
  %v56 = getelementptr inbounds i8, ptr %p0, i64 8
  %v57 = atomicrmw add ptr %v56, i64 %v55 monotonic, align 8
  %v58 = icmp sge i64 %v57, %v49
  br i1 %v58, label %then19, label %else20
then16:
  %v40 = sub i64 %v38, 32
  %v41 = call i64 @llvm.smax.i64(i64 %v40, i64 0)
  %v42 = getelementptr inbounds i8, ptr %v9, i64 24
  store i64 %v41, ptr %v42, align 8
  %v43 = sub i64 %v38, 1
  %v44 = getelementptr inbounds i8, ptr %v9, i64 16
  store i64 %v43, ptr %v44, align 8
  %v45 = mul i64 %v43, 8
  %v46 = getelementptr inbounds i8, ptr %v23, i64 %v45
  %v47 = load i64, ptr %v46, align 8
  ret i64 %v47
else17:
  br label %join18
join18:
  br label %join15
then19:
  %v59 = getelementptr inbounds i8, ptr %p0, i64 48
  store atomic i64 1, ptr %v59 monotonic, align 8
  ret i64 -1
else20:
  br label %join21
join21:
  %v60 = add i64 %v57, 1
  store i64 %v60, ptr %v9, align 8
  %v61 = add i64 %v57, %v55
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 %v49)
  %v63 = getelementptr inbounds i8, ptr %v9, i64 8
  store i64 %v62, ptr %v63, align 8
  %v64 = getelementptr inbounds i8, ptr %v9, i64 40
  %v65 = load i64, ptr %v64, align 8
  call void @ti.zero(ptr %p0, i64 %p1, i64 %v57, i64 %v65)
  ret i64 %v57
}

define ptr @ti.grow(ptr %p0, i64 %p1, i64 %p2, i64 %p3, ptr %p4, ptr noundef nonnull align 8 %ctx) #2 {
entry:
  %v15 = getelementptr inbounds i8, ptr %ctx, i64 24
  %v16 = load i64, ptr %v15, align 8, !invariant.load !0
  br label %start0
start0:
  %v1 = getelementptr inbounds i8, ptr %p0, i64 %p1
  %v2 = call i64 @ti.take(ptr %v1, i64 %p2, ptr %ctx)
  %v3 = icmp slt i64 %v2, 0
  br i1 %v3, label %then1, label %else2
then1:
  %v4 = getelementptr inbounds i8, ptr %v1, i64 56
  %v5 = load ptr, ptr %v4, align 8
  ret ptr %v5
else2:
  br label %join3
join3:
  %v6 = load ptr, ptr %v1, align 8
  %v7 = mul i64 %v2, %p2
  %v8 = getelementptr inbounds i8, ptr %v6, i64 %v7
  %v9 = cmpxchg ptr %p4, ptr null, ptr %v8 acq_rel acquire, align 8
  %v10 = extractvalue { ptr, i1 } %v9, 0
  %v11 = icmp eq ptr %v10, null
  br i1 %v11, label %then4, label %else5
then4:
  %v12 = getelementptr inbounds i8, ptr %p0, i64 %p3
  store atomic i64 1, ptr %v12 monotonic, align 8
  ret ptr %v8
else5:
  br label %join6
join6:
  %v13 = getelementptr inbounds i8, ptr %v1, i64 40
  %v14 = load ptr, ptr %v13, align 8
  %v17 = mul i64 %v16, 64
  %v18 = getelementptr inbounds i8, ptr %v14, i64 %v17
  %v19 = add i64 %v2, 1
  %v20 = getelementptr inbounds i8, ptr %v18, i64 32
  store i64 %v19, ptr %v20, align 8
  ret ptr %v10
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)

attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" }
attributes #1 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" alwaysinline }
attributes #2 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" cold noinline }

!0 = !{}
!1 = !{i64 64}

define ptr @ti.find.2(ptr %p0, i64 %p1, i32 %p2, i32 %p3) #2 {
entry:
  br label %start0
start0:
  %v1 = getelementptr inbounds i8, ptr %p0, i64 %p1
  %v2 = zext i32 %p2 to i64
  %v3 = xor i64 0, %v2
  %v4 = mul i64 %v3, -7046029254386353131
  %v5 = icmp ult i64 32, 64
  %v6 = select i1 %v5, i64 32, i64 0
  %v7 = lshr i64 %v4, %v6
  %v8 = select i1 %v5, i64 %v7, i64 0
  %v9 = xor i64 %v4, %v8
  %v10 = zext i32 %p3 to i64
  %v11 = xor i64 %v9, %v10
  %v12 = mul i64 %v11, -7046029254386353131
  %v13 = icmp ult i64 32, 64
  %v14 = select i1 %v13, i64 32, i64 0
  %v15 = lshr i64 %v12, %v14
  %v16 = select i1 %v13, i64 %v15, i64 0
  %v17 = xor i64 %v12, %v16
  %v18 = icmp ult i64 %v17, 2
  %v19 = add i64 %v17, 2
  %v20 = select i1 %v18, i64 %v19, i64 %v17
  %v21 = load ptr, ptr %v1, align 8
  %v22 = getelementptr inbounds i8, ptr %v1, i64 24
  %v23 = load i64, ptr %v22, align 8
  %v24 = and i64 %v23, 63
  %v25 = icmp ult i64 %v24, 64
  %v26 = select i1 %v25, i64 %v24, i64 0
  %v27 = shl i64 1, %v26
  %v28 = select i1 %v25, i64 %v27, i64 0
  %v29 = getelementptr inbounds i8, ptr %v1, i64 8
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr inbounds i8, ptr %v1, i64 16
  %v32 = load atomic i64, ptr %v31 acquire, align 8
  br label %loop1
loop1:
  %v33 = phi i64 [ %v32, %start0 ], [ %v71, %join22 ]
  %v34 = add i64 %v23, %v33
  %v35 = and i64 %v34, 63
  %v36 = icmp ult i64 %v35, 64
  %v37 = select i1 %v36, i64 %v35, i64 0
  %v38 = shl i64 1, %v37
  %v39 = select i1 %v36, i64 %v38, i64 0
  %v40 = sub i64 %v39, %v28
  %v41 = mul i64 %v40, 16
  %v42 = add i64 %v41, 4096
  %v43 = getelementptr inbounds i8, ptr %v21, i64 %v42
  %v44 = sub i64 %v39, 1
  %v45 = icmp ult i64 6, 64
  %v46 = select i1 %v45, i64 6, i64 0
  %v47 = lshr i64 %v20, %v46
  %v48 = select i1 %v45, i64 %v47, i64 0
  br label %loop3
loop3:
  %v49 = phi i64 [ %v48, %loop1 ], [ %v69, %else18 ]
  %v50 = phi i64 [ %v39, %loop1 ], [ %v67, %else18 ]
  %v51 = and i64 %v49, %v44
  %v52 = mul i64 %v51, 16
  %v53 = getelementptr inbounds i8, ptr %v43, i64 %v52
  %v54 = load atomic i64, ptr %v53 acquire, align 8
  %v55 = icmp eq i64 %v54, 0
  br i1 %v55, label %then5, label %else6
left4:
  %v70 = icmp ule i64 %v33, %v30
  br i1 %v70, label %then20, label %else21
then5:
  br label %left4
else6:
  br label %join7
join7:
  %v56 = icmp eq i64 %v54, %v20
  br i1 %v56, label %then8, label %else9
then8:
  %v57 = getelementptr inbounds i8, ptr %v53, i64 8
  %v58 = load atomic ptr, ptr %v57 acquire, align 8
  %v59 = icmp ne ptr %v58, null
  br i1 %v59, label %then11, label %else12
else9:
  br label %join10
join10:
  %v67 = sub i64 %v50, 1
  %v68 = icmp eq i64 %v67, 0
  br i1 %v68, label %then17, label %else18
then11:
  %v60 = load i32, ptr %v58, align 4
  %v61 = icmp eq i32 %v60, %p2
  %v62 = and i1 true, %v61
  %v63 = getelementptr inbounds i8, ptr %v58, i64 4
  %v64 = load i32, ptr %v63, align 4
  %v65 = icmp eq i32 %v64, %p3
  %v66 = and i1 %v62, %v65
  br i1 %v66, label %then14, label %else15
else12:
  br label %join13
join13:
  br label %join10
then14:
  ret ptr %v58
else15:
  br label %join16
join16:
  br label %join13
then17:
  br label %left4
else18:
  %v69 = add i64 %v49, 1
  br label %loop3
then20:
  ret ptr null
else21:
  br label %join22
join22:
  %v71 = sub i64 %v33, 1
  br label %loop1
}


attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" }
attributes #1 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" alwaysinline }
attributes #2 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" cold noinline }

!0 = !{}
!1 = !{i64 64}

define internal void @ti.zero(ptr %p0, i64 %p1, i64 %p2, i64 %p3) #2 {
entry:
  br label %start0
start0:
  %v1 = icmp sge i64 %p2, %p3
  br i1 %v1, label %then1, label %else2
then1:
  ret void
else2:
  br label %join3
join3:
  %v2 = load ptr, ptr %p0, align 8
  %v3 = mul i64 %p2, %p1
  %v4 = getelementptr inbounds i8, ptr %v2, i64 %v3
  %v5 = icmp ult i64 3, 64
  %v6 = select i1 %v5, i64 3, i64 63
  %v7 = ashr i64 %p1, %v6
  br label %loop4
loop4:
  %v8 = phi i64 [ 0, %join3 ], [ %v11, %else7 ]
  %v9 = mul nsw i64 %v8, 8
  %v10 = getelementptr inbounds i8, ptr %v4, i64 %v9
  store i64 0, ptr %v10, align 8
  %v11 = add nsw i64 %v8, 1
  %v12 = icmp eq i64 %v11, %v7
  br i1 %v12, label %then6, label %else7
left5:
  ret void
then6:
  br label %left5
else7:
  br label %loop4
}

define internal i64 @ti.take(ptr %p0, i64 %p1, ptr noundef nonnull align 8 %ctx) #2 {
entry:
  %v6 = getelementptr inbounds i8, ptr %ctx, i64 24
  %v7 = load i64, ptr %v6, align 8, !invariant.load !0
  br label %start0
start0:
  %v1 = getelementptr inbounds i8, ptr %p0, i64 48
  %v2 = load atomic i64, ptr %v1 monotonic, align 8
  %v3 = icmp ne i64 %v2, 0
  br i1 %v3, label %then1, label %else2
then1:
  ret i64 -1
else2:
  br label %join3
join3:
  %v4 = getelementptr inbounds i8, ptr %p0, i64 40
  %v5 = load ptr, ptr %v4, align 8
  %v8 = mul i64 %v7, 64
  %v9 = getelementptr inbounds i8, ptr %v5, i64 %v8
  %v10 = getelementptr inbounds i8, ptr %v9, i64 32
  %v11 = load i64, ptr %v10, align 8
  %v12 = icmp ne i64 %v11, 0
  br i1 %v12, label %then4, label %else5
then4:
  %v13 = getelementptr inbounds i8, ptr %v9, i64 32
  store i64 0, ptr %v13, align 8
  %v14 = sub i64 %v11, 1
  ret i64 %v14
else5:
  br label %join6
join6:
  %v15 = load i64, ptr %v9, align 8
  %v16 = getelementptr inbounds i8, ptr %v9, i64 8
  %v17 = load i64, ptr %v16, align 8
  %v18 = icmp slt i64 %v15, %v17
  br i1 %v18, label %then7, label %else8
then7:
  %v19 = add i64 %v15, 1
  store i64 %v19, ptr %v9, align 8
  %v20 = getelementptr inbounds i8, ptr %v9, i64 40
  %v21 = load i64, ptr %v20, align 8
  call void @ti.zero(ptr %p0, i64 %p1, i64 %v15, i64 %v21)
  ret i64 %v15
else8:
  br label %join9
join9:
  %v22 = getelementptr inbounds i8, ptr %p0, i64 24
  %v23 = load ptr, ptr %v22, align 8
  %v24 = getelementptr inbounds i8, ptr %v9, i64 16
  %v25 = load i64, ptr %v24, align 8
  %v26 = getelementptr inbounds i8, ptr %v9, i64 24
  %v27 = load i64, ptr %v26, align 8
  %v28 = icmp sgt i64 %v25, %v27
  br i1 %v28, label %then10, label %else11
then10:
  %v29 = sub i64 %v25, 1
  %v30 = getelementptr inbounds i8, ptr %v9, i64 16
  store i64 %v29, ptr %v30, align 8
  %v31 = mul i64 %v29, 8
  %v32 = getelementptr inbounds i8, ptr %v23, i64 %v31
  %v33 = load i64, ptr %v32, align 8
  ret i64 %v33
else11:
  br label %join12
join12:
  %v34 = getelementptr inbounds i8, ptr %p0, i64 32
  %v35 = getelementptr inbounds i8, ptr %p0, i64 32
  %v36 = load atomic i64, ptr %v35 monotonic, align 8
  %v37 = icmp sgt i64 %v36, 0
  br i1 %v37, label %then13, label %else14
then13:
  %v38 = atomicrmw sub ptr %v34, i64 32 monotonic, align 8
  %v39 = icmp sgt i64 %v38, 0
  br i1 %v39, label %then16, label %else17
else14:
  br label %join15
join15:
  %v48 = getelementptr inbounds i8, ptr %p0, i64 16
  %v49 = load i64, ptr %v48, align 8
  %v50 = icmp eq i64 %p1, 0
  %v51 = select i1 %v50, i64 1, i64 %p1
  %v52 = udiv i64 65536, %v51
  %v53 = select i1 %v50, i64 0, i64 %v52
  %v54 = call i64 @llvm.smax.i64(i64 %v53, i64 1)
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 64)
  %v56 = getelementptr inbounds i8, ptr %p0, i64 8
  %v57 = atomicrmw add ptr %v56, i64 %v55 monotonic, align 8
  %v58 = icmp sge i64 %v57, %v49
  br i1 %v58, label %then19, label %else20
then16:
  %v40 = sub i64 %v38, 32
  %v41 = call i64 @llvm.smax.i64(i64 %v40, i64 0)
  %v42 = getelementptr inbounds i8, ptr %v9, i64 24
  store i64 %v41, ptr %v42, align 8
  %v43 = sub i64 %v38, 1
  %v44 = getelementptr inbounds i8, ptr %v9, i64 16
  store i64 %v43, ptr %v44, align 8
  %v45 = mul i64 %v43, 8
  %v46 = getelementptr inbounds i8, ptr %v23, i64 %v45
  %v47 = load i64, ptr %v46, align 8
  ret i64 %v47
else17:
  br label %join18
join18:
  br label %join15
then19:
  %v59 = getelementptr inbounds i8, ptr %p0, i64 48
  store atomic i64 1, ptr %v59 monotonic, align 8
  ret i64 -1
else20:
  br label %join21
join21:
  %v60 = add i64 %v57, 1
  store i64 %v60, ptr %v9, align 8
  %v61 = add i64 %v57, %v55
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 %v49)
  %v63 = getelementptr inbounds i8, ptr %v9, i64 8
  store i64 %v62, ptr %v63, align 8
  %v64 = getelementptr inbounds i8, ptr %v9, i64 40
  %v65 = load i64, ptr %v64, align 8
  call void @ti.zero(ptr %p0, i64 %p1, i64 %v57, i64 %v65)
  ret i64 %v57
}

define internal ptr @ti.find.2(ptr %p0, i64 %p1, i32 %p2, i32 %p3) #2 {
entry:
  br label %start0
start0:
  %v1 = getelementptr inbounds i8, ptr %p0, i64 %p1
  %v2 = zext i32 %p2 to i64
  %v3 = xor i64 0, %v2
  %v4 = mul i64 %v3, -7046029254386353131
  %v5 = icmp ult i64 32, 64
  %v6 = select i1 %v5, i64 32, i64 0
  %v7 = lshr i64 %v4, %v6
  %v8 = select i1 %v5, i64 %v7, i64 0
  %v9 = xor i64 %v4, %v8
  %v10 = zext i32 %p3 to i64
  %v11 = xor i64 %v9, %v10
  %v12 = mul i64 %v11, -7046029254386353131
  %v13 = icmp ult i64 32, 64
  %v14 = select i1 %v13, i64 32, i64 0
  %v15 = lshr i64 %v12, %v14
  %v16 = select i1 %v13, i64 %v15, i64 0
  %v17 = xor i64 %v12, %v16
  %v18 = icmp ult i64 %v17, 2
  %v19 = add i64 %v17, 2
  %v20 = select i1 %v18, i64 %v19, i64 %v17
  %v21 = load ptr, ptr %v1, align 8
  %v22 = getelementptr inbounds i8, ptr %v1, i64 24
  %v23 = load i64, ptr %v22, align 8
  %v24 = and i64 %v23, 63
  %v25 = icmp ult i64 %v24, 64
  %v26 = select i1 %v25, i64 %v24, i64 0
  %v27 = shl i64 1, %v26
  %v28 = select i1 %v25, i64 %v27, i64 0
  %v29 = getelementptr inbounds i8, ptr %v1, i64 8
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr inbounds i8, ptr %v1, i64 16
  %v32 = load atomic i64, ptr %v31 acquire, align 8
  br label %loop1
loop1:
  %v33 = phi i64 [ %v32, %start0 ], [ %v71, %join22 ]
  %v34 = add i64 %v23, %v33
  %v35 = and i64 %v34, 63
  %v36 = icmp ult i64 %v35, 64
  %v37 = select i1 %v36, i64 %v35, i64 0
  %v38 = shl i64 1, %v37
  %v39 = select i1 %v36, i64 %v38, i64 0
  %v40 = sub i64 %v39, %v28
  %v41 = mul i64 %v40, 16
  %v42 = add i64 %v41, 4096
  %v43 = getelementptr inbounds i8, ptr %v21, i64 %v42
  %v44 = sub i64 %v39, 1
  %v45 = icmp ult i64 6, 64
  %v46 = select i1 %v45, i64 6, i64 0
  %v47 = lshr i64 %v20, %v46
  %v48 = select i1 %v45, i64 %v47, i64 0
  br label %loop3
loop3:
  %v49 = phi i64 [ %v48, %loop1 ], [ %v69, %else18 ]
  %v50 = phi i64 [ %v39, %loop1 ], [ %v67, %else18 ]
  %v51 = and i64 %v49, %v44
  %v52 = mul i64 %v51, 16
  %v53 = getelementptr inbounds i8, ptr %v43, i64 %v52
  %v54 = load atomic i64, ptr %v53 acquire, align 8
  %v55 = icmp eq i64 %v54, 0
  br i1 %v55, label %then5, label %else6
left4:
  %v70 = icmp ule i64 %v33, %v30
  br i1 %v70, label %then20, label %else21
then5:
  br label %left4
else6:
  br label %join7
join7:
  %v56 = icmp eq i64 %v54, %v20
  br i1 %v56, label %then8, label %else9
then8:
  %v57 = getelementptr inbounds i8, ptr %v53, i64 8
  %v58 = load atomic ptr, ptr %v57 acquire, align 8
  %v59 = icmp ne ptr %v58, null
  br i1 %v59, label %then11, label %else12
else9:
  br label %join10
join10:
  %v67 = sub i64 %v50, 1
  %v68 = icmp eq i64 %v67, 0
  br i1 %v68, label %then17, label %else18
then11:
  %v60 = load i32, ptr %v58, align 4
  %v61 = icmp eq i32 %v60, %p2
  %v62 = and i1 true, %v61
  %v63 = getelementptr inbounds i8, ptr %v58, i64 4
  %v64 = load i32, ptr %v63, align 4
  %v65 = icmp eq i32 %v64, %p3
  %v66 = and i1 %v62, %v65
  br i1 %v66, label %then14, label %else15
else12:
  br label %join13
join13:
  br label %join10
then14:
  ret ptr %v58
else15:
  br label %join16
join16:
  br label %join13
then17:
  br label %left4
else18:
  %v69 = add i64 %v49, 1
  br label %loop3
then20:
  ret ptr null
else21:
  br label %join22
join22:
  %v71 = sub i64 %v33, 1
  br label %loop1
}

define ptr @ti.enter.2(ptr %p0, i64 %p1, i64 %p2, i64 %p3, i64 %p4, i32 %p5, i32 %p6, ptr noundef nonnull align 8 %ctx) #2 {
entry:
  br label %start0
start0:
  %v1 = call ptr @ti.find.2(ptr %p0, i64 %p1, i32 %p5, i32 %p6)
  %v2 = icmp ne ptr %v1, null
  br i1 %v2, label %then1, label %else2
then1:
  ret ptr %v1
else2:
  br label %join3
join3:
  %v3 = getelementptr inbounds i8, ptr %p0, i64 %p1
  %v4 = zext i32 %p5 to i64
  %v5 = xor i64 0, %v4
  %v6 = mul i64 %v5, -7046029254386353131
  %v7 = icmp ult i64 32, 64
  %v8 = select i1 %v7, i64 32, i64 0
  %v9 = lshr i64 %v6, %v8
  %v10 = select i1 %v7, i64 %v9, i64 0
  %v11 = xor i64 %v6, %v10
  %v12 = zext i32 %p6 to i64
  %v13 = xor i64 %v11, %v12
  %v14 = mul i64 %v13, -7046029254386353131
  %v15 = icmp ult i64 32, 64
  %v16 = select i1 %v15, i64 32, i64 0
  %v17 = lshr i64 %v14, %v16
  %v18 = select i1 %v15, i64 %v17, i64 0
  %v19 = xor i64 %v14, %v18
  %v20 = icmp ult i64 %v19, 2
  %v21 = add i64 %v19, 2
  %v22 = select i1 %v20, i64 %v21, i64 %v19
  %v23 = load ptr, ptr %v3, align 8
  %v24 = getelementptr inbounds i8, ptr %v3, i64 24
  %v25 = load i64, ptr %v24, align 8
  %v26 = and i64 %v25, 63
  %v27 = icmp ult i64 %v26, 64
  %v28 = select i1 %v27, i64 %v26, i64 0
  %v29 = shl i64 1, %v28
  %v30 = select i1 %v27, i64 %v29, i64 0
  %v31 = and i64 %v22, 63
  %v32 = mul i64 %v31, 64
  %v33 = getelementptr inbounds i8, ptr %v23, i64 %v32
  br label %loop4
loop4:
  %v34 = atomicrmw xchg ptr %v33, i64 1 acquire, align 8
  %v35 = icmp eq i64 %v34, 0
  br i1 %v35, label %then6, label %else7
left5:
  %v36 = call ptr @ti.find.2(ptr %p0, i64 %p1, i32 %p5, i32 %p6)
  %v37 = icmp ne ptr %v36, null
  br i1 %v37, label %then9, label %else10
then6:
  br label %left5
else7:
  br label %loop4
then9:
  store atomic i64 0, ptr %v33 release, align 8
  ret ptr %v36
else10:
  br label %join11
join11:
  %v38 = getelementptr inbounds i8, ptr %p0, i64 %p2
  %v39 = call i64 @ti.take(ptr %v38, i64 %p3, ptr %ctx)
  %v40 = icmp slt i64 %v39, 0
  br i1 %v40, label %then12, label %else13
then12:
  store atomic i64 0, ptr %v33 release, align 8
  %v41 = getelementptr inbounds i8, ptr %v38, i64 56
  %v42 = load ptr, ptr %v41, align 8
  ret ptr %v42
else13:
  br label %join14
join14:
  %v43 = load ptr, ptr %v38, align 8
  %v44 = mul i64 %v39, %p3
  %v45 = getelementptr inbounds i8, ptr %v43, i64 %v44
  store i32 %p5, ptr %v45, align 4
  %v46 = getelementptr inbounds i8, ptr %v45, i64 4
  store i32 %p6, ptr %v46, align 4
  %v47 = getelementptr inbounds i8, ptr %v3, i64 32
  %v48 = atomicrmw add ptr %v47, i64 1 monotonic, align 8
  br label %loop15
loop15:
  %v49 = getelementptr inbounds i8, ptr %v3, i64 16
  %v50 = load atomic i64, ptr %v49 acquire, align 8
  %v51 = add i64 %v25, %v50
  %v52 = and i64 %v51, 63
  %v53 = icmp ult i64 %v52, 64
  %v54 = select i1 %v53, i64 %v52, i64 0
  %v55 = shl i64 1, %v54
  %v56 = select i1 %v53, i64 %v55, i64 0
  %v57 = icmp ult i64 1, 64
  %v58 = select i1 %v57, i64 1, i64 0
  %v59 = shl i64 %v56, %v58
  %v60 = select i1 %v57, i64 %v59, i64 0
  %v61 = sub i64 %v60, %v30
  %v62 = icmp ult i64 2, 64
  %v63 = select i1 %v62, i64 2, i64 0
  %v64 = lshr i64 %v61, %v63
  %v65 = select i1 %v62, i64 %v64, i64 0
  %v66 = sub i64 %v61, %v65
  %v67 = icmp ult i64 %v48, %v66
  br i1 %v67, label %then17, label %else18
then17:
  %v68 = sub i64 %v56, %v30
  %v69 = mul i64 %v68, 16
  %v70 = add i64 %v69, 4096
  %v71 = getelementptr inbounds i8, ptr %v23, i64 %v70
  %v72 = sub i64 %v56, 1
  %v73 = icmp ult i64 6, 64
  %v74 = select i1 %v73, i64 6, i64 0
  %v75 = lshr i64 %v22, %v74
  %v76 = select i1 %v73, i64 %v75, i64 0
  br label %loop20
else18:
  br label %join19
join19:
  %v90 = getelementptr inbounds i8, ptr %v3, i64 16
  %v91 = add i64 %v50, 1
  %v92 = cmpxchg ptr %v90, i64 %v50, i64 %v91 acq_rel acquire, align 8
  %v93 = extractvalue { i64, i1 } %v92, 0
  br label %loop15
loop20:
  %v77 = phi i64 [ %v76, %then17 ], [ %v89, %else26 ]
  %v78 = phi i64 [ %v56, %then17 ], [ %v87, %else26 ]
  %v79 = and i64 %v77, %v72
  %v80 = mul i64 %v79, 16
  %v81 = getelementptr inbounds i8, ptr %v71, i64 %v80
  %v82 = cmpxchg ptr %v81, i64 0, i64 %v22 acq_rel acquire, align 8
  %v83 = extractvalue { i64, i1 } %v82, 0
  %v84 = icmp eq i64 %v83, 0
  br i1 %v84, label %then22, label %else23
left21:
  br label %join19
then22:
  %v85 = getelementptr inbounds i8, ptr %v81, i64 8
  store atomic ptr %v45, ptr %v85 release, align 8
  %v86 = getelementptr inbounds i8, ptr %p0, i64 %p4
  store atomic i64 1, ptr %v86 monotonic, align 8
  store atomic i64 0, ptr %v33 release, align 8
  ret ptr %v45
else23:
  br label %join24
join24:
  %v87 = sub i64 %v78, 1
  %v88 = icmp eq i64 %v87, 0
  br i1 %v88, label %then25, label %else26
then25:
  br label %left21
else26:
  %v89 = add i64 %v77, 1
  br label %loop20
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)

attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" }
attributes #1 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" alwaysinline }
attributes #2 = { nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true" "prefer-vector-width"="512" cold noinline }

!0 = !{}
!1 = !{i64 64}

