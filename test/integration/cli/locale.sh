#!/bin/sh
# A plug-in that calls setlocale() changes no number of the record: there is no decimal comma in it, and the row is judged as in any locale.
# runs: slow, 4 s
set -eu
. "$KB_SRC/test/support/check.sh"
needs localedef

# The characters of ASCII and a comma, so that no locale of the machine is needed.
{
	printf '<code_set_name> ASCII\n<comment_char> %%\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 1\nCHARMAP\n'
	awk 'BEGIN { for (i = 0; i < 128; i++) printf "<U%04X> /x%02x character\n", i, i }'
	echo 'END CHARMAP'
} >charmap
cat >source <<'END'
comment_char %
escape_char /
LC_NUMERIC
decimal_point "<U002C>"
thousands_sep ""
grouping -1
END LC_NUMERIC
END
localedef -c -f ./charmap -i ./source ./kb_comma >/dev/null 2>&1 || :
[ -f kb_comma/LC_NUMERIC ] || fail "localedef made nothing"

plugin comma
LOCPATH=$PWD gives 0 run --plugin ./comma.so plugin.comma --budget 4s --no-store --json
row=$(results out)
case $(printf '%s\n' "$row" | cut -f 2) in
ok | noisy) ;;
*) fail "says $row" ;;
esac
grep -q '"tolerance": 0\.0125' out || fail "the tolerance that set-up gave is another one"
grep -q '"tolerance": 0\.015' out || fail "the tolerance of the descriptor is another one"
grep -q '^ *"median": 0\.5,$' out || fail "the number of the samples is another one"
