#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# optional - a client that says so loads without jtrace, and before and after it

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_optional || skip_all "no jtrace_optional.ko"

fire() {
	echo 1 >/sys/module/jtrace_optional/parameters/fire
}

evaluated() {
	param jtrace_optional evaluated
}

refuse "a client that does not say so needs jtrace" "$UNKNOWN" load jtrace_client
check "without jtrace: it loads" load jtrace_optional
check "without jtrace: a trace point does no harm" fire
expect "without jtrace: and evaluates nothing" "$(evaluated)" 0

# It stays what it was when it was loaded.
check "jtrace is loaded after it" load jtrace
fire
expect "jtrace after it: nothing is evaluated" "$(evaluated)" 0
expect "jtrace after it: nothing is recorded" "$(stat recorded) $(lost)" "0 0"
check "jtrace after it: it does not hold jtrace" unload jtrace
fire
expect "jtrace gone: nothing is evaluated" "$(evaluated)" 0
check "without jtrace: it is unloaded" unload jtrace_optional

start
check "jtrace before it: it loads" load jtrace_optional
fire
expect "jtrace before it: it records" "$(evaluated) $(shown)" "2 2"
check "jtrace before it: with its site" \
	sh -c "grep -q ' : 00000002 .*jtrace_optional\.c:fire_set:[0-9]* (optional: fire (evaluated))\$' $JT/trace"
recording 0
fire
expect "recording is off: nothing is evaluated" "$(evaluated) $(shown)" "2 2"
recording 1
fire
expect "and on: it records" "$(evaluated) $(shown)" "3 3"
refuse "jtrace before it: it holds jtrace" "$IN_USE" unload jtrace
check "jtrace before it: it is unloaded" unload jtrace_optional
expect "the last event, too" "$(shown)" 4

finish
