# To be sourced behind check.sh: run_pages PAGE... runs files and commands of pages of doc/, in their order, in the directory `work`. ```LANGUAGE FILE
# writes a file (+ adds to it). ```sh must succeed and say nothing on standard error, ```sh fails must end with 2, ```sh invalid with 5, ```sh TOOL...
# is left out without one of these tools. The lines of ```text must stand in what the block before printed. $count is how many blocks there were.
run_pages() {
	mkdir -p work
	for page; do
		shift
		set -- "$@" "$KB_SRC/doc/$page"
	done
	# "001 yamba add.yamba", "002 sh", "003 text", "004 yamba chase.yamba +" ...: one file a block, in order.
	awk '
	/^```/ && !inside { inside = 1; file = sprintf("%03d %s", ++number, substr($0, 4)); next }
	/^```/ { inside = 0; close(file); next }
	inside { print >file }' "$@"
	count=0
	missing=
	for block in [0-9]*; do
		set -- $block
		count=$((count + 1))
		case $2 in
		sh)
			missing=
			kind=${3-}
			shift 2
			for tool; do
				[ "$tool" = fails ] || [ "$tool" = invalid ] || command -v "$tool" >/dev/null || missing=$tool
			done
			[ -z "$missing" ] || continue
			code=0
			(cd work && timeout 60 sh -eu "../$block") >out 2>err || code=$?
			if [ "$kind" = fails ]; then
				[ $code -eq 2 ] || fail "exit code $code, not 2, of: $(cat "$block")"
				cp err out
				continue
			fi
			if [ "$kind" = invalid ]; then
				[ $code -eq 5 ] || fail "exit code $code, not 5, of: $(cat "$block")"
				continue
			fi
			[ $code -eq 0 ] || fail "exit code $code of: $(cat "$block"): $(cat err)"
			[ ! -s err ] || fail "on standard error, of: $(cat "$block"): $(cat err)"
			# Numbers are those of a busy machine; that they were measured and not refuted is not.
			! grep 'refuted\|unmet\| failed\|W402' out || fail "of: $(cat "$block"): $(cat out)"
			;;
		text)
			[ -z "$missing" ] || continue
			# In order, blanks aside.
			awk 'function bare(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); return s }
				NR == FNR { want[++n] = bare($0); next }
				i < n && bare($0) == want[i + 1] { i++ }
				END { if (i < n) { print "not printed: " want[i + 1]; exit 1 } }' "$block" out || fail "see above; printed: $(cat out)"
			;;
		*) [ -n "${3-}" ] && cat "$block" >>"work/$3" || fail "a block of an unknown kind: $block" ;;
		esac
	done
}
