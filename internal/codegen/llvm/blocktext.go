package llvm

import (
	"fmt"
	"strings"
)

// takeText is the function that takes a slot for a block from the cache of the thread,
// which it fills from the stack of free slots or from the end of the region; null if
// there is no more. It touches no memory of other threads but two counters.
func takeText() string {
	return blockOffsets.Replace(`define internal ptr @ti.take(ptr %ctx, ptr %control, i64 %bytes) #2 {
entry:
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
  %failedp = getelementptr inbounds i8, ptr %control, i64 {failed}
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
// thread comes first. Where there is no memory it returns the dump block.
func growText() string {
	return blockOffsets.Replace(`define internal ptr @ti.grow(ptr %ctx, ptr %base, i64 %control, i64 %bytes, i64 %changed, ptr %slot, i64 %tree) #2 {
entry:
  %c = getelementptr inbounds i8, ptr %base, i64 %control
  %block = call ptr @ti.take(ptr %ctx, ptr %c, i64 %bytes)
  %none = icmp eq ptr %block, null
  br i1 %none, label %full, label %publish
full:
  %t = getelementptr inbounds i8, ptr %base, i64 %tree
  %dumpp = getelementptr inbounds i8, ptr %t, i64 {dump}
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

// tableText is the function that finds a block by its coordinates in the table of a
// hash node, null if it is not there; or makes it then, under one of many locks.
//
// A table has levels, each twice as large as the one before; new blocks go to the
// highest. Within a level a search goes on from the place that the tag says to the
// first that was never used.
func tableText(what string, rank int) string {
	var params, pass, same strings.Builder
	tag := "  %h0 = add i64 0, 0\n"
	for i := range rank {
		fmt.Fprintf(&params, ", i32 %%c%d", i)
		fmt.Fprintf(&pass, ", i32 %%c%d", i)
		tag += fmt.Sprintf(`  %%w%[1]d = zext i32 %%c%[1]d to i64
  %%x%[1]d = xor i64 %%h%[1]d, %%w%[1]d
  %%m%[1]d = mul i64 %%x%[1]d, -7046029254386353131
  %%s%[1]d = lshr i64 %%m%[1]d, 32
  %%h%[2]d = xor i64 %%m%[1]d, %%s%[1]d
`, i, i+1)
		prev := "true"
		if i > 0 {
			prev = fmt.Sprintf("%%e%d", i-1)
		}
		fmt.Fprintf(&same, `  %%kp%[1]d = getelementptr inbounds i32, ptr %%block, i64 %[1]d
  %%k%[1]d = load i32, ptr %%kp%[1]d, align 4
  %%q%[1]d = icmp eq i32 %%k%[1]d, %%c%[1]d
  %%e%[1]d = and i1 %[2]s, %%q%[1]d
`, i, prev)
	}
	tag += fmt.Sprintf(`  %%tiny = icmp ult i64 %%h%[1]d, 2
  %%big = add i64 %%h%[1]d, 2
  %%tag = select i1 %%tiny, i64 %%big, i64 %%h%[1]d
`, rank)
	if what == "find" {
		return fmt.Sprintf(`define internal ptr @ti.find.%d(ptr %%base, i64 %%table%s) #2 {
entry:
%s  %%header = getelementptr inbounds i8, ptr %%base, i64 %%table
  %%mem = load ptr, ptr %%header, align 8
  %%lowp = getelementptr inbounds i8, ptr %%header, i64 8
  %%low = load i64, ptr %%lowp, align 8
  %%highp = getelementptr inbounds i8, ptr %%header, i64 16
  %%high = load atomic i64, ptr %%highp acquire, align 8
  %%logp = getelementptr inbounds i8, ptr %%header, i64 24
  %%log = load i64, ptr %%logp, align 8
  br label %%level
level:
  %%l = phi i64 [ %%high, %%entry ], [ %%down, %%lower ]
  %%shift = add i64 %%log, %%l
  %%cap = shl i64 1, %%shift
  %%c0cap = shl i64 1, %%log
  %%before = sub i64 %%cap, %%c0cap
  %%boff = shl i64 %%before, 4
  %%lof = add i64 %%boff, 4096
  %%start = getelementptr inbounds i8, ptr %%mem, i64 %%lof
  %%mask = sub i64 %%cap, 1
  %%h = lshr i64 %%tag, 6
  br label %%probe
probe:
  %%i = phi i64 [ %%h, %%level ], [ %%inext, %%onward ]
  %%n = phi i64 [ 0, %%level ], [ %%nnext, %%onward ]
  %%im = and i64 %%i, %%mask
  %%eoff = shl i64 %%im, 4
  %%entryp = getelementptr inbounds i8, ptr %%start, i64 %%eoff
  %%t = load atomic i64, ptr %%entryp acquire, align 8
  %%empty = icmp eq i64 %%t, 0
  br i1 %%empty, label %%nolevel, label %%compare
compare:
  %%hit = icmp eq i64 %%t, %%tag
  br i1 %%hit, label %%check, label %%onward
check:
  %%blockp = getelementptr inbounds i8, ptr %%entryp, i64 8
  %%block = load atomic ptr, ptr %%blockp acquire, align 8
  %%there = icmp ne ptr %%block, null
  br i1 %%there, label %%coords, label %%onward
coords:
%s  br i1 %%e%d, label %%found, label %%onward
onward:
  %%inext = add i64 %%i, 1
  %%nnext = add i64 %%n, 1
  %%round = icmp ugt i64 %%nnext, %%mask
  br i1 %%round, label %%nolevel, label %%probe
nolevel:
  %%lowest = icmp ule i64 %%l, %%low
  br i1 %%lowest, label %%missing, label %%lower
lower:
  %%down = sub i64 %%l, 1
  br label %%level
missing:
  ret ptr null
found:
  ret ptr %%block
}

`, rank, params.String(), tag, same.String(), rank-1)
	}
	var write strings.Builder
	for i := range rank {
		fmt.Fprintf(&write, "  %%wp%[1]d = getelementptr inbounds i32, ptr %%new, i64 %[1]d\n  store i32 %%c%[1]d, ptr %%wp%[1]d, align 4\n", i)
	}
	return blockOffsets.Replace(fmt.Sprintf(`define internal ptr @ti.enter.%[1]d(ptr %%ctx, ptr %%base, i64 %%table, i64 %%control, i64 %%bytes, i64 %%changed, i64 %%tree%[2]s) #2 {
entry:
  %%quick = call ptr @ti.find.%[1]d(ptr %%base, i64 %%table%[3]s)
  %%there = icmp ne ptr %%quick, null
  br i1 %%there, label %%done, label %%slow
done:
  ret ptr %%quick
slow:
%[4]s  %%header = getelementptr inbounds i8, ptr %%base, i64 %%table
  %%mem = load ptr, ptr %%header, align 8
  %%stripe = and i64 %%tag, 63
  %%soff = shl i64 %%stripe, 6
  %%lock = getelementptr inbounds i8, ptr %%mem, i64 %%soff
  br label %%spin
spin:
  %%was = atomicrmw xchg ptr %%lock, i64 1 acquire
  %%got = icmp eq i64 %%was, 0
  br i1 %%got, label %%locked, label %%spin
locked:
  %%again = call ptr @ti.find.%[1]d(ptr %%base, i64 %%table%[3]s)
  %%now = icmp ne ptr %%again, null
  br i1 %%now, label %%unlockold, label %%insert
unlockold:
  store atomic i64 0, ptr %%lock release, align 8
  ret ptr %%again
insert:
  %%ctl = getelementptr inbounds i8, ptr %%base, i64 %%control
  %%new = call ptr @ti.take(ptr %%ctx, ptr %%ctl, i64 %%bytes)
  %%none = icmp eq ptr %%new, null
  br i1 %%none, label %%full, label %%fill
full:
  store atomic i64 0, ptr %%lock release, align 8
  %%tc = getelementptr inbounds i8, ptr %%base, i64 %%tree
  %%dumpp = getelementptr inbounds i8, ptr %%tc, i64 {dump}
  %%dump = load ptr, ptr %%dumpp, align 8
  ret ptr %%dump
fill:
%[5]s  %%highp = getelementptr inbounds i8, ptr %%header, i64 16
  %%usedp = getelementptr inbounds i8, ptr %%header, i64 32
  %%logp = getelementptr inbounds i8, ptr %%header, i64 24
  %%log = load i64, ptr %%logp, align 8
  br label %%try
try:
  %%high = load atomic i64, ptr %%highp acquire, align 8
  %%shift = add i64 %%log, %%high
  %%cap = shl i64 1, %%shift
  %%used = load atomic i64, ptr %%usedp monotonic, align 8
  %%quarter = lshr i64 %%cap, 2
  %%most = sub i64 %%cap, %%quarter
  %%crowded = icmp uge i64 %%used, %%most
  br i1 %%crowded, label %%raise, label %%place
raise:
  %%higher = add i64 %%high, 1
  %%pairh = cmpxchg ptr %%highp, i64 %%high, i64 %%higher acq_rel acquire
  %%wonh = extractvalue { i64, i1 } %%pairh, 1
  br i1 %%wonh, label %%reset, label %%try
reset:
  store atomic i64 0, ptr %%usedp monotonic, align 8
  br label %%try
place:
  %%c0cap = shl i64 1, %%log
  %%before = sub i64 %%cap, %%c0cap
  %%boff = shl i64 %%before, 4
  %%lof = add i64 %%boff, 4096
  %%start = getelementptr inbounds i8, ptr %%mem, i64 %%lof
  %%mask = sub i64 %%cap, 1
  %%h = lshr i64 %%tag, 6
  br label %%probe
probe:
  %%i = phi i64 [ %%h, %%place ], [ %%inext, %%onward ]
  %%n = phi i64 [ 0, %%place ], [ %%nnext, %%onward ]
  %%im = and i64 %%i, %%mask
  %%eoff = shl i64 %%im, 4
  %%entryp = getelementptr inbounds i8, ptr %%start, i64 %%eoff
  %%pair = cmpxchg ptr %%entryp, i64 0, i64 %%tag acq_rel acquire
  %%won = extractvalue { i64, i1 } %%pair, 1
  br i1 %%won, label %%publish, label %%onward
onward:
  %%inext = add i64 %%i, 1
  %%nnext = add i64 %%n, 1
  %%round = icmp ugt i64 %%nnext, %%mask
  br i1 %%round, label %%raise, label %%probe
publish:
  %%bump = atomicrmw add ptr %%usedp, i64 1 monotonic
  %%blockp = getelementptr inbounds i8, ptr %%entryp, i64 8
  store atomic ptr %%new, ptr %%blockp release, align 8
  %%np = getelementptr inbounds i8, ptr %%base, i64 %%changed
  store atomic i64 1, ptr %%np monotonic, align 8
  store atomic i64 0, ptr %%lock release, align 8
  ret ptr %%new
}

`, rank, params.String(), pass.String(), tag, write.String()))
}
