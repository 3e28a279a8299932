#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# numbers - the names of numbers that "jtrace -d" shows, against those of the kernel's own tracer
#
# The guest has one CPU and a virtio disk, /dev/vda.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
have jtrace_events || skip_all "no jtrace_events.ko"
have jtrace_provoke || skip_all "no jtrace_provoke.ko"

EVENTS=$JT/events
TRACEFS=/sys/kernel/tracing
[ -d $TRACEFS/events ] || mount -t tracefs none $TRACEFS
ifconfig lo 127.0.0.1 up

# One CPU, so that both tracers have one order.
start target_buffer_size=8M
load jtrace_events
echo 8192 >$TRACEFS/buffer_size_kb

run() { for _ in 1 2 3; do /bin/busybox true; done; }
nap() { sleep 0.1; }
net() {
	ping -c 3 127.0.0.1 >/dev/null
	echo x | nc -u -w 1 127.0.0.1 9 >/dev/null 2>&1
}
disk() { dd if=/dev/zero of=/dev/vda bs=4k count=3 conv=fsync 2>/dev/null; }
provoke() {
	! loaded jtrace_provoke || unload jtrace_provoke
	load jtrace_provoke what="$1"
}

# both EVENT COMMAND...: record with both tracers, into $TMP/ours and $TMP/theirs
both() {
	b_event=$1
	shift
	b_dir=$(echo $TRACEFS/events/*/"$b_event")
	clear_trace
	echo 0 >$TRACEFS/trace
	echo 1 >"$b_dir/enable"
	echo "$b_event" >>"$EVENTS"
	"$@" >/dev/null
	echo "!$b_event" >>"$EVENTS"
	echo 0 >"$b_dir/enable"
	grep " $b_event: " $TRACEFS/trace >"$TMP/theirs"
	"$TOOL" -d | sed -n "s/^\[.*\] : $b_event \(.*\) : (.*/\1/p" >"$TMP/ours"
}

# same TEXT LEAST OURS THEIRS: what these expressions of sed leave of our lines is in one row in
# what they leave of the kernel's, which records a little longer; at least LEAST are not empty
same() {
	sed "$3" "$TMP/ours" >"$TMP/our_names"
	sed "$4" "$TMP/theirs" >"$TMP/their_names"
	expect "$1: as in tracefs" "$(awk '
		NR == FNR { theirs[NR] = $0; nr = NR; next }
		{ ours[++n] = $0 }
		END {
			for (from = 0; from + n <= nr; from++) {
				for (i = 1; i <= n && ours[i] == theirs[from + i]; i++)
					;
				if (i > n)
					exit
			}
			print n " are not in a row of " nr
		}' "$TMP/their_names" "$TMP/our_names")" ""
	at_least "$1: with a name" "$(grep -c . "$TMP/our_names")" "$2"
}

# name FIELD: leave the name of a field's value
name() { printf 's/.*\<%s=[^ ]* <\\([^>]*\\)>.*/\\1/;t;s/.*//' "$1"; }

both softirq_raise nap
same "softirq" 3 "$(name vec)" 's/.*\[action=\(.*\)\]/\1/'
both sched_switch run
same "state" 3 "$(name prev_state)" 's/.* prev_state=\([^ ]*\) .*/\1/'
both contention_begin provoke lock
same "contention" 1 "$(name flags)" 's/.*flags=\(.*\))/\1/'
both contention_begin provoke lock
case $(uname -v) in
*PREEMPT_RT*) ;;
*)	at_least "owner: of a mutex" \
		"$(grep -c 'MUTEX> owner=[1-9][0-9]* <jtrace_holder> ' "$TMP/ours")" 5
	both contention_begin provoke rwsem
	at_least "owner: of an rwsem that is written" \
		"$(grep -c '<READ> owner=[1-9][0-9]* <jtrace_holder> ' "$TMP/ours")" 5
	both contention_begin provoke readers
	at_least "owner: none of an rwsem that is read" \
		"$(grep -c '<WRITE> owner=0 ' "$TMP/ours")" 5 ;;
esac
both block_rq_issue disk
# Letters of the operation, F for a flush before it; then flags.
same "request" 1 "$(name cmd_flags)" \
	's/.*block_rq_issue: [0-9,]* F\{0,1\}\([A-Z]\).*/\1/;s/^W$/WRITE/;s/^R$/READ/;s/^F$/FLUSH/'
both kmalloc provoke kmalloc
case $(cat /proc/sys/kernel/osrelease) in
6.1.*)	expect "flags of allocations: no BTF has them" "$(grep -c 'gfp_flags=[^ ]* <' "$TMP/ours")" 0 ;;
*)	# The kernel has names for more sums.
	same "flags of allocations" 5 's/.* gfp_flags=[^ ]* <\(GFP_[A-Z]*\)>.*/\1/;t;s/.*//' \
		's/.* gfp_flags=\(GFP_\(KERNEL\|ATOMIC\|NOFS\|NOIO\)\) .*/\1/;t;s/.*//' ;;
esac
both kfree_skb net
same "drop reason" 1 "$(name reason)" 's/.* reason: //'
both irq_handler_exit disk
expect "interrupt: no name without an entry that tells it" "$(grep -c '<virtio' "$TMP/ours")" 0
echo irq_handler_entry >>"$EVENTS"
both irq_handler_exit disk
echo '!irq_handler_entry' >>"$EVENTS"
at_least "interrupt: the name that the entries tell" \
	"$(grep -c '^irq=[0-9]* <virtio.*> ret=1 <HANDLED>' "$TMP/ours")" 1

# bytes HEX...
bytes() {
	for byte; do
		printf '%b' "\\0$(printf %03o "0x$byte")"
	done
}

# Numbers of 32-bit programs mean other calls: getpid is 20, exit is 1.
case $(uname -m) in
x86_64)	machine="03 00" flags="00 00 00 00"
	# mov $20,%eax; int $0x80; mov $1,%eax; xor %ebx,%ebx; int $0x80
	code="b8 14 00 00 00 cd 80 b8 01 00 00 00 31 db cd 80" ;;
*)	machine="28 00" flags="00 00 00 05"
	# mov r7,#20; svc 0; mov r7,#1; mov r0,#0; svc 0
	code="14 70 a0 e3 00 00 00 ef 01 70 a0 e3 00 00 a0 e3 00 00 00 ef" ;;
esac
# The header of an ELF file, that of its one segment, and code.
# shellcheck disable=SC2086 # words
{
	bytes 7f 45 4c 46 01 01 01 00 00 00 00 00 00 00 00 00 02 00 $machine 01 00 00 00 \
		54 00 01 00 34 00 00 00 00 00 00 00 $flags 34 00 20 00 01 00 00 00 00 00 00 00
	bytes 01 00 00 00 00 00 00 00 00 00 01 00 00 00 01 00 80 00 00 00 80 00 00 00 \
		05 00 00 00 00 10 00 00
	bytes $code
} >"$TMP/elf32"
printf '%0200d' 0 >>"$TMP/elf32"
chmod +x "$TMP/elf32"
echo sys_exit >>"$EVENTS"
both sys_enter "$TMP/elf32"
expect "a 32-bit call has its own name, and a mark" \
	"$(grep -c '^id=20 <getpid> compat=1 ' "$TMP/ours")" 1
expect "and so has the next one" "$(grep -c '^id=1 <exit> compat=1 ' "$TMP/ours")" 1
both sys_enter sh -c "echo \$\$; cat $TMP/nothing 2>/dev/null"
expect "a 64-bit call has no mark" "$(grep -c 'compat' "$TMP/ours")" 0
at_least "a 64-bit call has a name" "$(grep -c "^id=[0-9]* <openat> " "$TMP/ours")" 1
expect "all calls have names" "$(grep -vc '^id=[0-9]* <[a-z0-9_]*> ' "$TMP/ours")" 0
at_least "an error has a name" "$("$TOOL" -d |
	grep -c 'sys_exit id=[0-9]* <openat> ret=-2 <ENOENT>')" 1
echo '!sys_exit' >>"$EVENTS"
finish
