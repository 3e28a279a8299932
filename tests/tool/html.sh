# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace --html: the file that it writes; tests/page opens it in a browser

# html_equal NAME IMAGE [OPTION...]: pass if the page has what --json prints
html_equal() {
	local name=$1 image=$2 merge=-m

	shift 2
	rm -f "$tmp/pages/page"
	if ! run 0 --html "$tmp/pages/page" "$@" "$image"; then
		not_ok "--html: $name: exit status $status" "$tmp/err"
		return
	fi
	run 0 --json -l "$image" || merge=
	run 0 --json -d $merge "$@" "$image"
	if "$here/html_same" "$tmp/pages/page" "$tmp/out" > "$tmp/log" 2>&1; then
		ok "--html: $name: $(cat "$tmp/log")"
	else
		not_ok "--html: $name" "$tmp/log"
	fi
}

# pages_are NAME FILE...: pass if these are all files of the directory
pages_are() {
	local name=$1

	shift
	if [ "$(ls -A "$tmp/pages")" = "$(printf '%s\n' "$@" | sort)" ]; then
		ok "$name: nothing else is left"
	else
		ls -A "$tmp/pages" > "$tmp/left"
		not_ok "$name" "$tmp/left"
	fi
}

# has_events NAME EVENTS IMAGE ARG...: pass if the page has so many events
has_events() {
	local name=$1 events=$2

	shift 2
	rm -f "$tmp/pages/page"
	if ! run 0 --html "$tmp/pages/page" "$@"; then
		not_ok "$name: exit status $status" "$tmp/err"
	elif "$here/page_rows" "$tmp/pages/page" > "$tmp/json" 2> "$tmp/log" &&
		[ "$(perl -MJSON::PP -ne 'END { print $n } $n += grep { ref eq "ARRAY" }
			@{decode_json($_)->{rows}}' "$tmp/json")" -eq "$events" ]; then
		ok "$name"
	else
		not_ok "$name: not $events events" "$tmp/log" "$tmp/json"
	fi
}

# Every event and line of many images
test_html_equal() {
	local image n

	for image in "$tmp"/{tiny,large,small,none,other,strings,laps} "$top"/tests/golden/v2/*.img; do
		html_equal "${image##*/}" "$image"
	done
	for n in 1 2 3; do
		"$here/decoded" $((RANDOM * 3 + n)) 400 > "$tmp/random.in"
		"$tmp/mkimage" -c 64 -e "$tmp/random.in" > "$tmp/file"
		html_equal "random arguments" "$tmp/file"
	done
	make_hostile > "$tmp/hostile.in"
	"$tmp/mkimage" -c 32 -e "$tmp/hostile.in" > "$tmp/file"
	html_equal "hostile tags" "$tmp/file"
	for n in $(seq 400); do
		printf '0 0 %x 0 0 0 20000000000000 20000000000001 a.c f tag %d\n' "$n" "$n"
	done > "$tmp/sites.in"
	"$tmp/mkimage" -c 64 -p 1 -e "$tmp/sites.in" > "$tmp/file"
	html_equal "many sites" "$tmp/file"
	"$tmp/mkimage" -N -P -n 3000 -c 250 -s 11 -p 3 -S $RANDOM > "$tmp/file"
	html_equal "names and addresses" "$tmp/file"
	html_equal "a selection" "$tmp/file" -C 1-2 -n 500 -g rx
	printf '%d <%d>[    4.%06d] %b\n' 1 6 50 probed 2 12 520 'reset \303\237 \377 \033[1m' \
		7 3 600 'failed (-110)</script>' 8 0 99999 'Kernel panic' > "$tmp/log.in"
	"$tmp/mkimage" -n 60 -L 8192 -g "$tmp/log.in" > "$tmp/file"
	html_equal "the kernel log" "$tmp/file"
	html_equal "a selection with the kernel log" "$tmp/file" -S 5.001 -n 30
}

test_html() {
	local page=$tmp/pages/page n

	rm -rf "$tmp/pages"
	mkdir "$tmp/pages"
	test_html_equal
	has_events "--html" 5 "$tmp/tiny"
	cp "$page" "$tmp/first"
	says "--html: exists" 1 ".*/page: exists; --force replaces it" --html "$page" "$tmp/tiny"
	run 0 --force --html "$page" "$tmp/tiny"
	if [ "$status" -eq 0 ] && cmp -s "$page" "$tmp/first" && [ ! -s "$tmp/out" ]; then
		ok "--html --force: the same bytes again"
	else
		not_ok "--html --force: the same bytes again" "$tmp/err"
	fi
	cp "$tmp/tiny" "$tmp/pages/image"
	says "--html --force: not the image itself" 1 \
		".*/image: --force replaces only an export of jtrace or an empty file" \
		--html "$tmp/pages/image" --force "$tmp/pages/image"
	if cmp -s "$tmp/tiny" "$tmp/pages/image"; then
		ok "--html --force: the image stays"
	else
		not_ok "--html --force: the image stays"
	fi
	: > "$tmp/pages/empty"
	if run 0 --html "$tmp/pages/empty" --force "$tmp/tiny"; then
		ok "--html --force: an empty file"
	else
		not_ok "--html --force: an empty file" "$tmp/err"
	fi
	rm "$tmp/pages/image" "$tmp/pages/empty"
	has_events "--html: small entries" 2 "$tmp/small"
	has_events "--html: no entries" 0 "$tmp/none"
	has_events "--html: two images" 105 "$tmp/tiny" "$tmp/other"
	has_events "--html -n" 3 -n 3 "$tmp/large"
	zeroed "$tmp/large" 0 512 | head -c -512 > "$tmp/file"
	has_events "--html: both headers lost" 800 "$tmp/file"
	if grep -qF 'both headers lost' "$tmp/json"; then
		ok "--html: what is lost"
	else
		not_ok "--html: what is lost" "$tmp/json"
	fi
	has_events "--html: strings" 4 "$tmp/strings"
	if LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' \
		<(sed -n '/^<script type/,/^<\/script/p' "$page"); then
		not_ok "--html: nothing acts on the text around"
	else
		ok "--html: nothing acts on the text around"
	fi
	echo '0 0 1 0 0 0 0 0 f.c f </script><!--<script>' > "$tmp/file.in"
	"$tmp/mkimage" -e "$tmp/file.in" > "$tmp/file"
	has_events "--html: a tag cannot end the data" 1 "$tmp/file"
	n=$(grep -c '<script>$' "$page")
	if [ "$n" -eq "$(grep -c '<script>$' "$tmp/first")" ] && ! grep -qF '<!--<' "$page"; then
		ok "--html: no \"<\" in the data"
	else
		not_ok "--html: no \"<\" in the data"
	fi
	pages_are "--html" page
	rm "$page"
	says "--html: the second image is none" 1 ".*: No such file or directory" \
		--html "$page" "$tmp/tiny" "$tmp/nowhere"
	says "--html: an image that is none" 1 ".*: no jtrace image in .*" --html "$page" "$tmp/first"
	pages_are "--html: errors"
	says "--html: no such folder" 1 ".*/none/page: .*" --html "$tmp/pages/none/page" "$tmp/tiny"
	says "--html: a folder" 1 ".*/pages: Is a directory" --html "$tmp/pages" "$tmp/tiny"
	says "--html: no space" 1 "/dev/full: No space left on device" --html /dev/full "$tmp/tiny"
	if (ulimit -f 8; trap '' XFSZ; run 1 --html "$page" "$tmp/large" && [ "$(wc -l < "$tmp/err")" -eq 1 ])
	then
		ok "--html: a file that grows too large"
	else
		not_ok "--html: a file that grows too large" "$tmp/err"
	fi
	pages_are "--html: a file that grows too large"
	{ "$jtrace" --html /dev/stdout "$tmp/large" 2> "$tmp/err"; echo $? > "$tmp/status"; } | head -c 9 > "$tmp/out"
	if [ "$(cat "$tmp/out")" = '<!DOCTYPE' ] && [ "$(cat "$tmp/status")" -ne 0 ] &&
		[ "$(wc -l < "$tmp/err")" -eq 1 ]; then
		ok "--html: a closed pipe"
	else
		not_ok "--html: a closed pipe: exit status $(cat "$tmp/status")" "$tmp/out" "$tmp/err"
	fi
	ends_export --html "$page"
	says "--html and -m" 2 "--html: cannot be combined with -m" -m --html x "$tmp/tiny"
	says "--html and --at of two" 2 "--at: needs one file, not 2" --at 0 --html x a b
	says "two files without --html" 2 "b: one file at a time" a b
	says "--force alone" 2 "--force: needs an export" --force "$tmp/tiny"
}
