# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace(1) on a terminal: pager and colour

# on_terminal VARIABLE=VALUE... -- ARG...: run jtrace(1) on a pseudo terminal, with what it shows in
# $tmp/out; jtrace_path replaces its PATH
on_terminal() {
	local set=()

	while [ "$1" != -- ]; do
		set+=("$1")
		shift
	done
	shift
	status=0
	env -u PAGER -u LESS -u NO_COLOR TERM=xterm SHELL=/bin/sh "${set[@]}" timeout 60 script -qec \
		"PATH=$(printf '%q ' "${jtrace_path:-$PATH}" "$jtrace" "$@") 2> $(printf %q "$tmp/err")" /dev/null \
		< /dev/null > "$tmp/raw" || status=$?
	tr -d '\r' < "$tmp/raw" > "$tmp/out"
}

# terminal_shows NAME EXPECTED: pass if the last run succeeded, and showed that file
terminal_shows() {
	if [ "$status" -eq 0 ] && cmp -s "$2" "$tmp/out" && [ ! -s "$tmp/err" ]; then
		ok "$1"
	else
		not_ok "$1: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

# terminal_has NAME TEXT...: pass if the last run showed a line with each of these, as sed writes
terminal_has() {
	local name=$1 text missing=

	shift
	sed 's/\x1b/\\e/g' "$tmp/out" > "$tmp/seen"
	for text; do
		grep -qF -- "$text" "$tmp/seen" || missing+=" $text"
	done
	if [ "$status" -eq 0 ] && [ -z "$missing" ]; then
		ok "$name"
	else
		not_ok "$name: exit status $status, not$missing" "$tmp/seen" "$tmp/err"
	fi
}

# without_colour: remove our escape sequences, and no others, from the output
without_colour() {
	sed -i 's/\x1b\[\(0\|1\|2\|1;3[13]\)m//g' "$tmp/out"
}

test_pager() {
	local bin=$tmp/pagers name

	rm -rf "$bin"
	mkdir "$bin"
	# shellcheck disable=SC2016 # for the shell of the pager
	on_terminal NO_COLOR=1 'PAGER=echo "$LESS $LESSCHARSET $LESSSECURE"; sed "s/^/> /"' \
		LC_ALL=C.UTF-8 -- "$tmp/tiny"
	{
		echo "FRSXMK utf-8 $([ "$(id -u)" -ne 0 ] || echo 1)"
		sed 's/^/> /' "$here/expected/tiny.txt"
	} > "$tmp/paged"
	terminal_shows "a pager shows the text" "$tmp/paged"
	# shellcheck disable=SC2016
	on_terminal LESS=-S LC_ALL=C 'PAGER=echo "$LESS/$LESSCHARSET"' -- "$tmp/tiny"
	echo -S/ > "$tmp/paged"
	terminal_shows "a pager with options of the user" "$tmp/paged"
	on_terminal NO_COLOR=1 'PAGER=head -n 1' -- "$tmp/large"
	head -n 1 "$tmp/large.txt" > "$tmp/paged"
	terminal_shows "a pager that ends first" "$tmp/paged"
	on_terminal NO_COLOR=1 'PAGER=sleep 0.2; echo last; exit 3' -- "$tmp/tiny"
	echo last > "$tmp/paged"
	terminal_shows "a pager is waited for, and its exit status does not count" "$tmp/paged"
	on_terminal 'PAGER=sed "s/^/> /"' -- "$tmp/missing"
	if [ "$status" -eq 1 ] && [ ! -s "$tmp/out" ] && grep -q 'No such file' "$tmp/err"; then
		ok "no pager for an error"
	else
		not_ok "no pager for an error: exit status $status" "$tmp/out" "$tmp/err"
	fi
	run 0 --json "$tmp/tiny"
	sed 's/^/> /' "$tmp/out" > "$tmp/paged"
	on_terminal 'PAGER=sed "s/^/> /"' -- --json "$tmp/tiny"
	terminal_shows "a pager shows JSON, without colour" "$tmp/paged"

	test_installed "$bin" none ''
	for name in more less; do
		# The shell of the pager has no other PATH, either.
		printf '#!/bin/sh\nexec /bin/sed "s/^/%s: /"\n' $name > "$bin/$name"
		chmod 755 "$bin/$name"
		test_installed "$bin" $name "$name: "
	done
}

# test_installed BIN NAME PREFIX: the user did not choose, and only the pagers in BIN are installed
test_installed() {
	sed "s/^/$3/" "$here/expected/tiny.txt" > "$tmp/paged"
	jtrace_path=$1 on_terminal NO_COLOR=1 -- "$tmp/tiny"
	terminal_shows "the pager that is installed: $2" "$tmp/paged"
}

test_colour() {
	on_terminal -- --no-pager "$tmp/tiny"
	terminal_has "a terminal: colour" \
		'\e[1mJTRACE: Recovered 5/' '\e[2m[   5.0' ' \e[1m(one (a))\e[0m'
	without_colour
	terminal_shows "a terminal: nothing but colour is added" "$here/expected/tiny.txt"
	on_terminal NO_COLOR=1 -- --no-pager "$tmp/tiny"
	terminal_shows "NO_COLOR" "$here/expected/tiny.txt"
	on_terminal NO_COLOR= PAGER=cat -- "$tmp/tiny"
	terminal_has "an empty NO_COLOR, and no pager by PAGER=cat" '\e[1mJTRACE: Recovered 5/'
	on_terminal PAGER= -- "$tmp/tiny"
	terminal_has "no pager by an empty PAGER" '\e[1mJTRACE: Recovered 5/'
	on_terminal TERM=dumb 'PAGER=sed "s/^/> /"' -- "$tmp/tiny"
	terminal_shows "TERM=dumb: no colour, no pager" "$here/expected/tiny.txt"
	shows "a pipe: no colour, no pager" "$here/expected/tiny.txt" "$tmp/tiny"

	zeroed "$tmp/large" 0 8 > "$tmp/damaged"
	on_terminal -- --no-pager "$tmp/damaged"
	terminal_has "a warning stands out" '\e[1;33mJTRACE: Damaged: header lost'

	"$tmp/mkimage" -B > "$tmp/hostile"
	LC_ALL=C.UTF-8 "$jtrace" "$tmp/hostile" > "$tmp/paged"
	on_terminal LC_ALL=C.UTF-8 -- --no-pager "$tmp/hostile"
	without_colour
	if [ "$(tr -d '\n' < "$tmp/out" | LC_ALL=C grep -c '[[:cntrl:]]')" -eq 0 ]; then
		terminal_shows "a terminal: no escape sequences but ours" "$tmp/paged"
	else
		not_ok "a terminal: no escape sequences but ours" "$tmp/out"
	fi

	printf '%s\n' '1 <3>[    4.100000] an error' '2 <4>[    4.200000] a warning' \
		'3 <6>[    4.300000] a word' '4 <7>[    4.400000] a bug' > "$tmp/log-lines"
	"$tmp/mkimage" -L 2000 -g "$tmp/log-lines" > "$tmp/levels"
	on_terminal -- --no-pager -m "$tmp/levels"
	terminal_has "-m: levels of the kernel log" \
		'\e[0m\e[1;31m[log] : an error\e[0m' '\e[1;33m[log] : a warning\e[0m' \
		'\e[0m[log] : a word' '\e[2m[log] : a bug\e[0m'
}

test_terminal() {
	test_pager
	test_colour
}
