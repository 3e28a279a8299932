# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# passed.sh - remember, by content, what a tool found nothing in; sourced by scripts that run it
#
# The text of a key must have all that decides what the tool says: its version, its options and
# rules, what it reads.  What is not used for 60 days is removed.  No harm if all is lost.

passed=${JTRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/jtrace}/passed
export passed
[ ! -d "$passed" ] || find "$passed" -type f -mtime +60 -delete

# key_of: print the key of the text on stdin
key_of() {
	sha256sum | cut -d ' ' -f 1
}

# has_passed KEY
has_passed() {
	[ -e "$passed/$1" ] && touch "$passed/$1"
}

# note_passed KEY
note_passed() {
	mkdir -p "$passed" && : > "$passed/$1"
}

export -f key_of has_passed note_passed
