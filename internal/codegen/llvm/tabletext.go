package llvm

import (
	"fmt"
	"strings"
)

// coordText is the text that a function about a table has once for each coordinate,
// with {i} for its number, {prev} for the one before and {next} for the one after.
func coordText(rank int, text string) string {
	var b strings.Builder
	for i := range rank {
		b.WriteString(strings.NewReplacer("{i}", fmt.Sprint(i), "{prev}", fmt.Sprint(i-1), "{next}", fmt.Sprint(i+1)).Replace(text))
	}
	return b.String()
}

// tableText fills in what functions about a table of coordinates have in common: their
// parameters and arguments, the tag, the header, and where a level lies.
func tableText(rank int, text string) string {
	tag := "  %h0 = add i64 0, 0\n" + coordText(rank, `  %w{i} = zext i32 %c{i} to i64
  %x{i} = xor i64 %h{i}, %w{i}
  %m{i} = mul i64 %x{i}, -7046029254386353131
  %s{i} = lshr i64 %m{i}, 32
  %h{next} = xor i64 %m{i}, %s{i}
`) + strings.ReplaceAll(`  %tiny = icmp ult i64 %h{n}, 2
  %big = add i64 %h{n}, 2
  %tag = select i1 %tiny, i64 %big, i64 %h{n}
`, "{n}", fmt.Sprint(rank))
	text = strings.NewReplacer(
		"{coords}", coordText(rank, ", i32 %c{i}"),
		"{tag of the coordinates}\n", tag,
		"{header of the table}\n", tableHeader,
		"{start of level}\n", tableLevel,
		"{next entry}\n", tableNext,
		"{compare coordinates}\n", "  %e-1 = add i1 0, 1\n"+coordText(rank, `  %kp{i} = getelementptr inbounds i32, ptr %block, i64 {i}
  %k{i} = load i32, ptr %kp{i}, align 4
  %q{i} = icmp eq i32 %k{i}, %c{i}
  %e{i} = and i1 %e{prev}, %q{i}
`),
		"{write coordinates}\n", coordText(rank, `  %wp{i} = getelementptr inbounds i32, ptr %new, i64 {i}
  store i32 %c{i}, ptr %wp{i}, align 4
`),
		"{rank}", fmt.Sprint(rank), "{last}", fmt.Sprint(rank-1),
	).Replace(text)
	return blockOffsets.Replace(text)
}

const (
	tableHeader = `  %header = getelementptr inbounds i8, ptr %base, i64 %table
  %memp = getelementptr inbounds i8, ptr %header, i64 {table}
  %mem = load ptr, ptr %memp, align 8
  %highp = getelementptr inbounds i8, ptr %header, i64 {highest}
  %logp = getelementptr inbounds i8, ptr %header, i64 {log}
  %log = load i64, ptr %logp, align 8
  %c0cap = shl i64 1, %log
`
	// A level of %cap entries: those before it are c0cap, 2 c0cap and so on.
	tableLevel = `  %before = sub i64 %cap, %c0cap
  %boff = shl i64 %before, 4
  %lof = add i64 %boff, {locks}
  %start = getelementptr inbounds i8, ptr %mem, i64 %lof
  %mask = sub i64 %cap, 1
  %h = lshr i64 %tag, 6
`
	tableNext = `  %inext = add i64 %i, 1
  %nnext = add i64 %n, 1
  %round = icmp ugt i64 %nnext, %mask
`
)

// findText is the function that finds a block by its coordinates in the table of a
// hash node, null if it is not there.
//
// A table has levels, each twice as large as the one before; new blocks go to the
// highest. Within a level a search goes on from the place that the tag says to the
// first that was never used.
func findText(rank int) string {
	return tableText(rank, `define internal ptr @ti.find.{rank}(ptr %base, i64 %table{coords}) #2 {
entry:
{tag of the coordinates}
{header of the table}
  %lowp = getelementptr inbounds i8, ptr %header, i64 {lowest}
  %low = load i64, ptr %lowp, align 8
  %high = load atomic i64, ptr %highp acquire, align 8
  br label %level
level:
  %l = phi i64 [ %high, %entry ], [ %down, %lower ]
  %shift = add i64 %log, %l
  %cap = shl i64 1, %shift
{start of level}
  br label %probe
probe:
  %i = phi i64 [ %h, %level ], [ %inext, %onward ]
  %n = phi i64 [ 0, %level ], [ %nnext, %onward ]
  %im = and i64 %i, %mask
  %eoff = shl i64 %im, 4
  %entryp = getelementptr inbounds i8, ptr %start, i64 %eoff
  %t = load atomic i64, ptr %entryp acquire, align 8
  %empty = icmp eq i64 %t, 0
  br i1 %empty, label %nolevel, label %compare
compare:
  %hit = icmp eq i64 %t, %tag
  br i1 %hit, label %check, label %onward
check:
  %blockp = getelementptr inbounds i8, ptr %entryp, i64 8
  %block = load atomic ptr, ptr %blockp acquire, align 8
  %there = icmp ne ptr %block, null
  br i1 %there, label %coords, label %onward
coords:
{compare coordinates}
  br i1 %e{last}, label %found, label %onward
onward:
{next entry}
  br i1 %round, label %nolevel, label %probe
nolevel:
  %lowest = icmp ule i64 %l, %low
  br i1 %lowest, label %missing, label %lower
lower:
  %down = sub i64 %l, 1
  br label %level
missing:
  ret ptr null
found:
  ret ptr %block
}

`)
}

// enterText is the function that finds a block, or makes it under one of many locks.
//
// An entry to come takes a number. Level l has those below three quarters of the
// entries of all levels up to l, so that it never gets full: whoever has a larger
// number adds a level, unless another thread has done so. The numbers go on from level
// to level, since a count that began anew could lose what was added meanwhile.
func enterText(rank int) string {
	return tableText(rank, `define internal ptr @ti.enter.{rank}(ptr %ctx, ptr %base, i64 %table, i64 %control, i64 %bytes, i64 %changed{coords}) #2 {
entry:
  %quick = call ptr @ti.find.{rank}(ptr %base, i64 %table{coords})
  %there = icmp ne ptr %quick, null
  br i1 %there, label %done, label %slow
done:
  ret ptr %quick
slow:
{tag of the coordinates}
{header of the table}
  %stripe = and i64 %tag, 63
  %soff = shl i64 %stripe, 6
  %lock = getelementptr inbounds i8, ptr %mem, i64 %soff
  br label %spin
spin:
  %was = atomicrmw xchg ptr %lock, i64 1 acquire
  %got = icmp eq i64 %was, 0
  br i1 %got, label %locked, label %spin
locked:
  %again = call ptr @ti.find.{rank}(ptr %base, i64 %table{coords})
  %now = icmp ne ptr %again, null
  br i1 %now, label %unlockold, label %insert
unlockold:
  store atomic i64 0, ptr %lock release, align 8
  ret ptr %again
insert:
  %ctl = getelementptr inbounds i8, ptr %base, i64 %control
  %new = call ptr @ti.take(ptr %ctx, ptr %ctl, i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %full, label %fill
full:
  store atomic i64 0, ptr %lock release, align 8
  %dumpp = getelementptr inbounds i8, ptr %ctl, i64 {dump}
  %dump = load ptr, ptr %dumpp, align 8
  ret ptr %dump
fill:
{write coordinates}
  %usedp = getelementptr inbounds i8, ptr %header, i64 {used}
  %number = atomicrmw add ptr %usedp, i64 1 monotonic
  br label %try
try:
  %high = load atomic i64, ptr %highp acquire, align 8
  %shift = add i64 %log, %high
  %cap = shl i64 1, %shift
  %twice = shl i64 %cap, 1
  %all = sub i64 %twice, %c0cap
  %quarter = lshr i64 %all, 2
  %most = sub i64 %all, %quarter
  %crowded = icmp uge i64 %number, %most
  br i1 %crowded, label %raise, label %place
raise:
  %higher = add i64 %high, 1
  %raised = cmpxchg ptr %highp, i64 %high, i64 %higher acq_rel acquire
  br label %try
place:
{start of level}
  br label %probe
probe:
  %i = phi i64 [ %h, %place ], [ %inext, %onward ]
  %n = phi i64 [ 0, %place ], [ %nnext, %onward ]
  %im = and i64 %i, %mask
  %eoff = shl i64 %im, 4
  %entryp = getelementptr inbounds i8, ptr %start, i64 %eoff
  %pair = cmpxchg ptr %entryp, i64 0, i64 %tag acq_rel acquire
  %won = extractvalue { i64, i1 } %pair, 1
  br i1 %won, label %publish, label %onward
onward:
{next entry}
  br i1 %round, label %raise, label %probe
publish:
  %blockp = getelementptr inbounds i8, ptr %entryp, i64 8
  store atomic ptr %new, ptr %blockp release, align 8
  %np = getelementptr inbounds i8, ptr %base, i64 %changed
  store atomic i64 1, ptr %np monotonic, align 8
  store atomic i64 0, ptr %lock release, align 8
  ret ptr %new
}

`)
}
