# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# jtrace(1) completion

_jtrace_probe() {
	case $prev in
	--load|--module)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	--delete)
		mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^[prtwf]:\([^ ]*\) .*/\1/p' \
			/sys/kernel/debug/jtrace/probes 2> /dev/null)" -- "$cur") ;;
	--args)	;;
	*)	mapfile -t COMPREPLY < <(compgen -W \
			'--list --args --delete --print --load --module --mark --boot --guard' \
			-- "$cur") ;;
	esac
}

_jtrace_setup() {
	case $prev in
	--size|--name) ;;
	*)	mapfile -t COMPREPLY < <(compgen -W \
			'--size --name --watchdog --hangs --dry-run --test --yes --remove' -- "$cur") ;;
	esac
}

_jtrace_crashes() {
	case $prev in
	-D|--directory)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	-o|--output)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)	mapfile -t COMPREPLY < <(compgen -W 'list info show page rm top --directory --json
			--reverse --output --force' -- "$cur") ;;
	esac
}

_jtrace() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}

	COMPREPLY=()
	case $prev in
	--at|--probe|-[CSUgn]|--cpu|--since|--until|--grep|--tid|--task|--last) return 0 ;;
	--ctf|--modules)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return 0 ;;
	--html|--perfetto|--trace-dat|save)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return 0 ;;
	--frame) mapfile -t COMPREPLY < <(compgen -W next -- "$cur")
		return 0 ;;
	esac
	if [ "${COMP_WORDS[1]}" = event ] && [ "$COMP_CWORD" -gt 1 ] && [ "$prev" != --load ]; then
		mapfile -t COMPREPLY < <(compgen -W "--list --load --kernel all $(
			sed -n 's/^!*\([^ ]*\).* # \([^ ]*\) .*/\1 \2/p' \
				/sys/kernel/debug/jtrace/events 2> /dev/null)" -- "$cur")
		return 0
	fi
	if [ "${COMP_WORDS[1]}" = probe ] && [ "$COMP_CWORD" -gt 1 ]; then
		_jtrace_probe
		return 0
	fi
	if [ "${COMP_WORDS[1]}" = setup ] && [ "$COMP_CWORD" -gt 1 ]; then
		_jtrace_setup
		return 0
	fi
	if [ "${COMP_WORDS[1]}" = crashes ] && [ "$COMP_CWORD" -gt 1 ]; then
		_jtrace_crashes
		return 0
	fi
	case $cur in
	-*)	mapfile -t COMPREPLY < <(compgen -W '--recovered --follow --log --merge --decode
			--info --cause --json --html --ctf --perfetto --trace-dat --force --at --cpu
			--since --until --grep --tid --task --last --frame --probe --modules
			--no-pager --help --version' -- "$cur") ;;
	*)	mapfile -t COMPREPLY < <(compgen -f -- "$cur"
			[ "$COMP_CWORD" -gt 1 ] || compgen -W \
				'start stop clear save why mark event probe setup doctor crashes
				diff' \
				-- "$cur") ;;
	esac
}
complete -o filenames -F _jtrace jtrace
