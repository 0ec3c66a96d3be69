package llvm

// takeText is the function that takes a slot for a block from the cache of the thread,
// which it fills from the stack of free slots or from the end of the region; null if
// there is no more. It touches no memory of other threads but two counters. Once one
// thread has found none, no other does: what a thread has aside would make a list longer
// beyond places that lack their chunk.
func takeText() string {
	return blockOffsets.Replace(`define internal ptr @ti.take(ptr %ctx, ptr %control, i64 %bytes) #2 {
entry:
  %failedp = getelementptr inbounds i8, ptr %control, i64 {failed}
  %failed = load atomic i64, ptr %failedp monotonic, align 8
  %gone = icmp ne i64 %failed, 0
  br i1 %gone, label %none, label %mine
none:
  ret ptr null
mine:
  %workerp = getelementptr inbounds i8, ptr %ctx, i64 {worker}
  %worker = load i64, ptr %workerp, align 8
  %cachesp = getelementptr inbounds i8, ptr %control, i64 {caches}
  %caches = load ptr, ptr %cachesp, align 8
  %coff = mul i64 %worker, {cache}
  %cache = getelementptr inbounds i8, ptr %caches, i64 %coff
  %sparep = getelementptr inbounds i8, ptr %cache, i64 {spare}
  %spare = load i64, ptr %sparep, align 8
  %hasspare = icmp ne i64 %spare, 0
  br i1 %hasspare, label %usespare, label %fresh
usespare:
  store i64 0, ptr %sparep, align 8
  %spared = sub i64 %spare, 1
  br label %found
fresh:
  %nextp = getelementptr inbounds i8, ptr %cache, i64 {next}
  %endp = getelementptr inbounds i8, ptr %cache, i64 {end}
  %next = load i64, ptr %nextp, align 8
  %end = load i64, ptr %endp, align 8
  %hasnext = icmp ult i64 %next, %end
  br i1 %hasnext, label %usenext, label %pop
usenext:
  %after = add i64 %next, 1
  store i64 %after, ptr %nextp, align 8
  br label %found
pop:
  %popp = getelementptr inbounds i8, ptr %cache, i64 {pop}
  %stopp = getelementptr inbounds i8, ptr %cache, i64 {stop}
  %freep = getelementptr inbounds i8, ptr %control, i64 {free}
  %stack = load ptr, ptr %freep, align 8
  %at = load i64, ptr %popp, align 8
  %stop = load i64, ptr %stopp, align 8
  %haspop = icmp ugt i64 %at, %stop
  br i1 %haspop, label %usepop, label %refill
usepop:
  %low = sub i64 %at, 1
  store i64 %low, ptr %popp, align 8
  %slotp = getelementptr inbounds i64, ptr %stack, i64 %low
  %popped = load i64, ptr %slotp, align 8
  br label %found
refill:
  %countp = getelementptr inbounds i8, ptr %control, i64 {count}
  %seen = load atomic i64, ptr %countp monotonic, align 8
  %maybe = icmp sgt i64 %seen, 0
  br i1 %maybe, label %claim, label %grow
claim:
  %old = atomicrmw sub ptr %countp, i64 32 monotonic
  %some = icmp sgt i64 %old, 0
  br i1 %some, label %claimed, label %grow
claimed:
  %lowest = sub i64 %old, 32
  %neg = icmp slt i64 %lowest, 0
  %from = select i1 %neg, i64 0, i64 %lowest
  store i64 %from, ptr %stopp, align 8
  %first = sub i64 %old, 1
  store i64 %first, ptr %popp, align 8
  %firstp = getelementptr inbounds i64, ptr %stack, i64 %first
  %claimedslot = load i64, ptr %firstp, align 8
  br label %found
grow:
  %topp = getelementptr inbounds i8, ptr %control, i64 {top}
  %limitp = getelementptr inbounds i8, ptr %control, i64 {limit}
  %limit = load i64, ptr %limitp, align 8
  %room = udiv i64 65536, %bytes
  %small = icmp ult i64 %room, 1
  %atleast = select i1 %small, i64 1, i64 %room
  %large = icmp ugt i64 %atleast, 64
  %batch = select i1 %large, i64 64, i64 %atleast
  %top = atomicrmw add ptr %topp, i64 %batch monotonic
  %fits = icmp ult i64 %top, %limit
  br i1 %fits, label %stretch, label %fail
stretch:
  %want = add i64 %top, %batch
  %over = icmp ugt i64 %want, %limit
  %last = select i1 %over, i64 %limit, i64 %want
  %second = add i64 %top, 1
  store i64 %second, ptr %nextp, align 8
  store i64 %last, ptr %endp, align 8
  br label %found
fail:
  store atomic i64 1, ptr %failedp monotonic, align 8
  ret ptr null
found:
  %slot = phi i64 [ %spared, %usespare ], [ %next, %usenext ], [ %popped, %usepop ], [ %claimedslot, %claimed ], [ %top, %stretch ]
  %regionp = getelementptr inbounds i8, ptr %control, i64 {region}
  %region = load ptr, ptr %regionp, align 8
  %off = mul i64 %slot, %bytes
  %block = getelementptr inbounds i8, ptr %region, i64 %off
  ret ptr %block
}

; ti.give keeps a block that was not needed as the spare one of the thread.
define internal void @ti.give(ptr %ctx, ptr %control, i64 %bytes, ptr %block) #2 {
entry:
  %workerp = getelementptr inbounds i8, ptr %ctx, i64 {worker}
  %worker = load i64, ptr %workerp, align 8
  %cachesp = getelementptr inbounds i8, ptr %control, i64 {caches}
  %caches = load ptr, ptr %cachesp, align 8
  %coff = mul i64 %worker, {cache}
  %cache = getelementptr inbounds i8, ptr %caches, i64 %coff
  %regionp = getelementptr inbounds i8, ptr %control, i64 {region}
  %region = load ptr, ptr %regionp, align 8
  %b = ptrtoint ptr %block to i64
  %r = ptrtoint ptr %region to i64
  %off = sub i64 %b, %r
  %slot = udiv i64 %off, %bytes
  %spare = add i64 %slot, 1
  %sparep = getelementptr inbounds i8, ptr %cache, i64 {spare}
  store i64 %spare, ptr %sparep, align 8
  ret void
}

`)
}

// growText is the function that puts a new block into an empty slot, unless another
// thread comes first. Where there is no memory it returns the dump block of the kind.
func growText() string {
	return blockOffsets.Replace(`define internal ptr @ti.grow(ptr %ctx, ptr %base, i64 %control, i64 %bytes, i64 %changed, ptr %slot) #2 {
entry:
  %c = getelementptr inbounds i8, ptr %base, i64 %control
  %block = call ptr @ti.take(ptr %ctx, ptr %c, i64 %bytes)
  %none = icmp eq ptr %block, null
  br i1 %none, label %full, label %publish
full:
  %dumpp = getelementptr inbounds i8, ptr %c, i64 {dump}
  %dump = load ptr, ptr %dumpp, align 8
  ret ptr %dump
publish:
  %pair = cmpxchg ptr %slot, ptr null, ptr %block acq_rel acquire, align 8
  %won = extractvalue { ptr, i1 } %pair, 1
  br i1 %won, label %mine, label %theirs
mine:
  %n = getelementptr inbounds i8, ptr %base, i64 %changed
  %np = getelementptr inbounds i8, ptr %n, i64 {changed}
  store atomic i64 1, ptr %np monotonic, align 8
  ret ptr %block
theirs:
  call void @ti.give(ptr %ctx, ptr %c, i64 %bytes, ptr %block)
  %other = extractvalue { ptr, i1 } %pair, 0
  ret ptr %other
}

`)
}
