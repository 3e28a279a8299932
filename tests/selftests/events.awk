# SPDX-License-Identifier: GPL-2.0
#
# events.awk - compare events of jtrace with those of the kernel's own tracer
#
# awk -v event=NAME -v fields="FIELD ..." -f events.awk JTRACE TRACEFS
#
# JTRACE is a trace, TRACEFS the file trace of tracefs, which recorded before, meanwhile and
# after.  Prints the number of events if each one in JTRACE is in TRACEFS with the same values of
# these fields, else those that are not.

function hex(text,   n, i) {
	for (i = 1; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n + 0
}

# A number in hex without leading zeros.
function short(text) {
	sub(/^0x/, "", text)
	sub(/^0*/, "", text)
	return text == "" ? "0" : text
}

# Take the first of these places that is free, and return its digits.
function take(places,   list, n, i) {
	n = split(places, list, " ")
	for (i = 1; i <= n; i++) {
		if (taken[substr(list[i], 1, 1)] || taken[substr(list[i], 2, 1)])
			continue
		taken[substr(list[i], 1, 1)] = 1
		if (length(list[i]) == 1)
			return digits[list[i]]
		taken[substr(list[i], 2, 1)] = 1
		return digits[substr(list[i], 2, 1)] digits[substr(list[i], 1, 1)]
	}
}

function string(low, high,   text, i, code) {
	for (i = 0; i < 16; i++) {
		code = hex(substr(i < 8 ? low : high, 15 - 2 * (i % 8), 2))
		if (!code)
			break
		text = text sprintf("%c", code)
	}
	return text
}

# Of 8 or 16 digits.  A large number would lose its low digits, so no field with a sign is one.
function decimal(text, sign,   n) {
	if (sign && text ~ /^f/)
		return sprintf("%.0f", hex(substr(text, length(text) - 7)) - 4294967296)
	return sprintf("%.0f", hex(text))
}

# The value of the next field of this type.
function value(type,   text) {
	text = take(type ~ /64$|symbol|string/ ? "e f ab cd" : "a b c d e f")
	if (type == "string")
		return string(text, take("e f ab cd"))
	return type ~ /^x|symbol/ ? short(text) : decimal(text, type ~ /^s/)
}

# The value after NAME= in the text of tracefs.
function named(text, name,   at) {
	at = match(text, "(^|[^a-z_0-9])" name "=")
	if (!at)
		return "no such field"
	text = substr(text, at + RLENGTH)
	sub(/[ ,)].*/, "", text)
	return text
}

# Give names to values that have none in tracefs.
function name_values(text,   word, i) {
	if (event ~ /^block/ && match(text, /[0-9]+ \+ [0-9]+/)) {
		text = substr(text, RSTART, RLENGTH)
		sub(/ \+ /, " nr_sector=", text)
		return "sector=" text
	}
	if (event == "sys_enter") {
		split(text, word, /[ (,)]+/)
		return "id=" word[2] " arg0=" word[3] " arg1=" word[4] " arg2=" word[5]
	}
	sub(/^NR /, "id=", text)
	sub(/ = /, " ret=", text)
	sub(/: function/, "", text)
	sub(/work struct /, "work=", text)
	if (event ~ /^contention/)
		text = "lock_addr=" text
	if (event == "suspend_resume") {
		sub(/\[/, " val=", text)
		sub(/\] begin/, " start=1", text)
		sub(/\] end/, " start=0", text)
		text = "action=" text
	}
	return text
}

function common(name, text) {
	if (name == "prev_state")
		return state[text]
	if (type[name] == "string")
		return text
	if (type[name] ~ /^x|symbol/)
		# In decimal there.
		return event == "kfree_skb" && name == "protocol" ? sprintf("%x", text) : short(text)
	return sprintf("%.0f", text)
}

BEGIN {
	# "R+" is a task that was preempted.
	split("R 0 S 1 D 2 T 4 t 8 X 10 Z 20 P 40 I 80 R+ 100", letter, " ")
	for (i = 1; i < 20; i += 2)
		state[letter[i]] = letter[i + 1]
	nr = split(fields, want, " ")
	for (i = 1; i <= nr; i++)
		wanted[want[i]] = 1
}

FILENAME == ARGV[1] {
	at = index($0, " (" event " (")
	if (!at)
		next
	split($0, part, " : ")
	split(part[2], word, " ")
	for (i = 1; i <= 6; i++)
		digits[substr("abcdef", i, 1)] = word[i]
	for (i in taken)
		delete taken[i]
	tag = substr($0, at + length(event) + 4)
	sub(/\)+$/, "", tag)
	n = split(tag, field, /, |:/)
	for (i in got)
		delete got[i]
	for (i = 1; i < n; i += 2) {
		type[field[i]] = field[i + 1]
		got[field[i]] = value(field[i + 1])
	}
	key = ""
	for (i = 1; i <= nr; i++)
		key = key want[i] "=" got[want[i]] " "
	ours[key]++
	count++
	next
}

{
	at = index($0, ": " tracefs ": ")
	if (!at)
		next
	text = name_values(substr($0, at + length(tracefs) + 4))
	key = ""
	for (i = 1; i <= nr; i++)
		key = key want[i] "=" common(want[i], named(text, want[i])) " "
	theirs[key]++
	last = key
}

END {
	for (key in ours)
		if (ours[key] > theirs[key]) {
			print "not in tracefs: " ours[key] - theirs[key] " times " key
			missing++
		}
	if (missing)
		print "tracefs has, for example, " last
	else
		print count + 0
}
