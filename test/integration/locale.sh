#!/bin/sh
# A plug-in that calls setlocale() changes no number of the record: there is no decimal comma in it, and the row is judged as in any locale.
set -u
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
command -v localedef >/dev/null || { echo "locale: localedef is not here" && exit 77; }

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
localedef -c -f ./charmap -i ./source ./kb_comma >/dev/null 2>&1
[ -f kb_comma/LC_NUMERIC ] || { echo "locale: localedef made nothing" && exit 1; }

$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" "$KB_SRC/test/integration/plugins/comma.c" -o comma.so || exit 1
LOCPATH=$PWD "$KBENCH" run --plugin ./comma.so plugin.comma --budget 4s --no-store --json >json 2>err || {
	echo "locale: exit code $?: $(cat err)"
	exit 1
}
row=$(awk -f "$KB_SRC/test/support/rows.awk" json)
case $(printf '%s\n' "$row" | cut -f 2) in
ok | noisy) ;;
*) echo "locale: says $row" && exit 1 ;;
esac
grep -q '"tolerance": 0\.0125' json || { echo "locale: the tolerance that set-up gave is another one" && exit 1; }
grep -q '"tolerance": 0\.015' json || { echo "locale: the tolerance of the descriptor is another one" && exit 1; }
grep -q '^ *"median": 0\.5,$' json || { echo "locale: the number of the samples is another one" && exit 1; }
