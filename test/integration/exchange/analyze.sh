#!/bin/sh
# kbench analyze FILE: the published tables digit by digit, also with the installed program alone (T-PUB-4), records,
# and whatever is wrong with a file: one line, exit code 2, nothing on standard output. No NaN anywhere.
# runs: 5 s
set -u
. "$KB_SRC/test/support/check.sh"
data=$KB_SRC/test/data

# analyze ARGUMENT...: must succeed; output in `out`.
analyze() {
	gives 0 analyze "$@"
	[ ! -s err ] || fail "words on standard error: analyze $* ($(cat err))"
	! grep -Eiw 'nan|inf|-nan' out || fail "analyze $* prints that"
}

# ---- the printed digits -------------------------------------------------------------------------------

# row NAME SECTION: the columns of that row in the section that begins so.
row() {
	awk -v name="$1" -v section="$2" '
	/^  [^ ]/ { inside = index($0, "  " section) == 1 }
	inside && index($0, "    " name " ") == 1 { print substr($0, 39) }' out | head -n 1 | tr -s ' ' | sed 's/^ //'
}

# in_the_document TABLE STATISTIC GROUP-PATTERN: what the document prints, in the same form.
in_the_document() {
	awk -F, -v table="$1" -v statistic="$2" -v group="$3" \
		'$1 == table && $3 == statistic && $2 ~ group { printf "%s%s", n++ ? " " : "", $6 }' "$data/expected_stats.csv"
}

checked=0
# same TABLE STATISTIC GROUP NAME SECTION
same() {
	expected=$(in_the_document "$1" "$2" "$3")
	[ -n "$expected" ] || fail "no $2 of table $1"
	[ "$(row "$4" "$5")" = "$expected" ] || fail "table $1 $3 $2: '$(row "$4" "$5")', printed '$expected'"
	checked=$((checked + $(echo "$expected" | wc -w)))
}

for table in 3.4 3.5; do
	analyze --method kanata "$data/table_$(echo $table | tr . _).csv"
	same $table mean_A . 'Sample Mean' Accumulated
	same $table sd_A . 'Sample Std. Deviation' Accumulated
	same $table cv_pct . 'Coeff. of Variation, %' Accumulated
	same $table mean_A_over_N . 'Sample Mean / Test size' Accumulated
done
for run in run1 run2 run3; do
	analyze --method kanata "$data/table_a21_$run.csv"
	same A.2.1 mean_A $run 'Sample Mean' Accumulated
	same A.2.1 var_A $run 'Sample Variance' Accumulated
	same A.2.2 mean_Y $run Mean 'Primary latency Sample Mean'
	same A.2.2 var_Y $run Variance 'Primary latency Sample Mean'
	same A.2.2 sd_Y $run 'Std. Deviation' 'Primary latency Sample Mean'
	same A.2.2 cv_Y_pct $run 'Coeff. of Variation, %' 'Primary latency Sample Mean'
	same A.2.2 c1 $run c1 'Primary latency Sample Mean'
	same A.2.2 c2 $run c2 'Primary latency Sample Mean'
	same A.2.2 ci_halfwidth_pct $run 'CI half-width, % of sample mean' 'Primary latency Sample Mean'
	same A.2.3 var_P $run 'Variance, var_P = var_Y * N' 'Primary latency ('
	same A.2.3 sd_P $run 'Std. Deviation' 'Primary latency ('
	same A.2.3 cv_P_pct $run 'Coeff. of Variation, %' 'Primary latency ('
done
[ $checked -eq 76 ] || fail "$checked statistics compared, not 76"
# Equation 3.3: its own example needs 0.0227 tests for 2 %; 10 times narrower needs 100 times as many.
analyze "$data/table_a21_run1.csv"
[ "$(row "S' of equation (3.3)" 'Primary latency Sample Mean')" = 0.02271 ] || fail "S' of run 1"
analyze --precision 0.2% "$data/table_a21_run1.csv"
[ "$(row "S' of equation (3.3)" 'Primary latency Sample Mean')" = 2.271 ] || fail "S' for 0.2 %"
analyze --confidence 95% "$data/table_a21_run1.csv"
reads 'z = 1.960, e = 2%'

# ---- checks, bias, change -----------------------------------------------------------------------------

analyze "$data/table_3_4.csv" "$data/table_3_5.csv" "$data/pic_4_1.csv" "$data"/table_a21_run?.csv
sed -n '/^All 6 files together/,$p' out >together && mv together out
reads 'LR = 127.111, p = 8.78e-30 \*'
reads 'v0 = 114430.2, v1 = 18711.81, sqrt\(v1\) = 136.8'
reads 'chi2 = 114.536, p = 6.13e-17 \*'
reads 'N from 30 to 300 \(smaller ones are off the line: first-run effects\): 4535.92 \[4534.08, 4537.75\] cycles'
reads 'intercept of 1330 \+- 62 cycles \(standard error\) adds \+4.4 cycles to A/N at N = 300'
reads 'Shapiro-Wilk rejects 7 of 18 groups'
analyze --skip 2 "$data/table_3_4.csv" "$data/table_3_5.csv" "$data/pic_4_1.csv" "$data"/table_a21_run?.csv
sed -n '/^All 6 files together/,$p' out >together && mv together out
reads 'LR = 30.743, p = 1.47e-08 \*'
analyze "$data"/table_a21_run?.csv
reads 'ANOVA F = 0.168222, p = 0.845 '
reads 'one test size cannot tell how large it is'
# Tables 3.4 and 3.5: A/N changes below N = 30 and no more from there.
analyze "$data/table_3_4.csv" "$data/table_3_5.csv"
sed -n '/^All 2 files together/,$p' out >together && mv together out
reads 'A/N stops changing at N = 30 if 2% of its value at N = 34 is close enough'
reads 'cannot be told apart from N = 30 on'

# Test sizes 30 to 34 alone cannot tell the two parts of the cost apart.
analyze "$data/table_3_5.csv"
reads 'test sizes from 30 to 34 are too close to each other to tell a fixed cost of a test, 3307 \+- 1535 cycles'

# ---- other forms --------------------------------------------------------------------------------------

for method in kanata slope; do
	analyze --method $method "$data/pic_4_1.csv"
	sed 1d out >from_csv
	{
		printf 'Jumping to kernel-image entry point ...\r\nInitial Test size: 30\r\nDelta: 1\r\n'
		printf 'Number of Tests / Sample size of Accumulated latency: 30\r\nNumber of Groups: 5\r\n'
		printf 'Accumulated latencies (clock cycles):\r\n'
		sed '1d; s/^[0-9]*,//; s/,/ /g; s/$/\r/' "$data/pic_4_1.csv"
		printf 'Done!\r\n'
	} >console.txt
	analyze --method $method console.txt
	sed 1d out | diff from_csv - || fail "the console (>) and its CSV (<) differ with $method"
done
reads 'slope: cost of one operation'

analyze "$data/fig8_points.csv"
reads 'C1_Darwin 3 points y = 2681.261840 x -20204.336683 R\^2 = 0.9999815'
reads 'C2_Darwin 3 points y = 32.520095 x \+859.894287 R\^2 = 0.9177791'
reads 'C1_Darwin intercept: printed -2025.2, the points give -20204.34: cannot be right, whatever'
reads 'C1_Darwin slope: printed 2685, the points give 2681.262: cannot be right for the points as printed'
reads 'C2_Darwin slope: printed 32.562, the points give 32.5201: cannot be right for the points as printed'
! grep -q 'Linux.*printed' out || fail "a Linux line is said to be wrong"
analyze "$data/fig8_regression.csv"
reads 'C1_Darwin intercept: printed -2025.2, the points give -20204.34: cannot be right, whatever'
analyze "$data/table_a22_run1.csv"
reads 'arithmetic mean 4539.958667 '
analyze "$KB_SRC/test/golden/record-1.txt"
reads '[0-9]+ (ok|noisy|unverified|invalid) '
analyze --method kanata "$KB_SRC/test/golden/record-1.txt"
reads 'Accumulated latency \(ticks\)'
awk 'BEGIN { print "n,ticks"; for (k = 0; k < 40; k++) for (n = 1; n <= 8; n *= 2) print n "," 100 + 50 * n + (k * 7 + n) % 5 }' >points.csv
analyze points.csv
reads 'slope: cost of one operation (49\.9|50)[0-9.]* \[.*intercept: cost of a sample (10[0-9]|9[0-9])'
# The first of each n is dear; without it the line is the same.
sed '2,5s/$/00/' points.csv >first_dear.csv
analyze --skip 1 first_dear.csv
grep slope: out >left_out
analyze --skip 1 points.csv
grep slope: out | diff left_out - || fail "--skip 1 does not leave out the first of each n"

# ---- extreme inputs: a reason, never a NaN ------------------------------------------------------------

# extreme NAME PATTERN ARGUMENT...: text, and JSON that a parser takes.
extreme() {
	pattern=$1
	shift
	analyze "$@"
	reads "$pattern"
	analyze --json "$@"
	reads '"schema": "kbench-analyze/1"'
	# The first of all codes: a reason that nobody set.
	! grep -q op_failed out || fail "a reason was forgotten: analyze --json $*"
	if command -v python3 >/dev/null 2>&1; then
		python3 -c 'import json, sys; json.load(open("out"), parse_constant=sys.exit)' || fail "JSON of $*"
	fi
}
echo 42 >one.csv
seq 30 | sed 's/.*/7/' >same.csv
printf '9223372036854775807\n9223372036854775808\n18446744073709551615\n0\n' >huge.csv
{ echo s,test_size_5; seq 30 | sed 's/$/,0/'; } >zero.csv
printf 's,N=1,N=2\n1,9223372036854775808,18446744073709551615\n2,9223372036854775808,1\n' >huge2.csv
printf '1,5\n' >one_point.csv
for method in single kanata; do
	extreme 'too few effective samples' --method $method one.csv
	extreme "limited by the clock's resolution" --method $method same.csv
	extreme 'too few effective samples' --method $method huge.csv
done
extreme "limited by the clock's resolution" zero.csv
extreme 'too few effective samples' huge2.csv
extreme 'no line: ' one_point.csv
extreme 'no line: it takes two different x' "$(printf 'a,x,y\nA,1,2\n' >line.csv && echo line.csv)"
awk 'BEGIN { for (n = 1; n <= 5000; n++) print n "," 3 * n + n % 3 }' >many.csv
extreme 'more than 4096 different n' many.csv
extreme 'All 2 files together' huge2.csv zero.csv
extreme C1_Darwin "$data/fig8_points.csv"
extreme 'All 2 files together' "$data/table_3_4.csv" "$data/table_3_5.csv"
extreme '[0-9]+ (ok|noisy|unverified|invalid) |"benchmark"' "$KB_SRC/test/golden/record-1.txt"

# ---- wrong inputs -------------------------------------------------------------------------------------

# wrong PATTERN ARGUMENT...
wrong() {
	pattern=$1
	shift
	refuses 2 "^kbench analyze: $pattern" analyze "$@"
}
# file TEXT: its name.
file() {
	printf "$1" >wrong.csv
	echo wrong.csv
}

wrong 'nothing to do without --published or a FILE'
wrong 'cannot read missing.csv: No such file' missing.csv
wrong '\.: a directory without results of criterion .new.estimates.json.: name the file' .
wrong 'wrong.csv: empty: no measurement' "$(file '')"
wrong 'wrong.csv: a header and no measurement' "$(file 's,test_size_1\n')"
wrong "wrong.csv:2: 'nan' in column 2 is not a number" "$(file 's,test_size_1\n1,nan\n')"
wrong "wrong.csv:3: '1e400' in column 1 is not a number" "$(file 'ticks\n5\n1e400\n')"
wrong 'wrong.csv:3: -1 in column 2: a time cannot be negative' "$(file 'n,ticks\n1,5\n1,-1\n')"
wrong 'wrong.csv:3: test 4 where test 2 should stand' "$(file 's,test_size_1\n1,5\n4,5\n')"
wrong 'wrong.csv:3: 3 columns where there should be 2' "$(file 'n,ticks\n1,5\n1,5,6\n')"
wrong 'wrong.csv: not a text' "$(file '1\n\0002\n')"
head -c 30 "$KB_SRC/test/golden/record-1.txt" >cut.txt
wrong 'cut.txt:' cut.txt
# A later file that is wrong must not leave half of the output.
wrong 'wrong.csv:1:' "$data/table_3_4.csv" "$(file '1,2,3\n')"
wrong '.*table_3_4.csv: --skip 30 leaves nothing of the group with N = 1' --skip 30 "$data/table_3_4.csv"
wrong 'one.csv: --skip 1 leaves nothing of the group with N = 1' --skip 1 one.csv
wrong '.*table_3_5.csv: method single takes one operation a value' --method single "$data/table_3_5.csv"
wrong 'one.csv: method slope takes values of several n' --method slope one.csv
wrong '.*fig8_points.csv: points of lines take no --method' --method slope "$data/fig8_points.csv"
wrong '.*record-1.txt: a record is analyzed as .*; --skip needs --method' --skip 1 "$KB_SRC/test/golden/record-1.txt"
wrong "--method 'best': must be kanata, slope or single" --method best one.csv
wrong "--skip '-1': must be a number" --skip -1 one.csv
wrong "--confidence '100%': must be between" --confidence 100% one.csv
wrong "--confidence 'nan': must be between" --confidence nan one.csv
wrong "--precision '0': must be between" --precision 0 one.csv
wrong '--published and --skip exclude each other' --published --skip 1
wrong "unknown option '--rebuild', it is 'kbench maintain' now" --rebuild last
wrong "unexpected argument 'one.csv'" --published one.csv
if [ -w /dev/full ]; then
	"$KBENCH" analyze --published >/dev/full 2>err
	[ $? -eq 2 ] || fail "a full disk does not give exit code 2"
fi

# ---- T-PUB-4: the installed program alone -------------------------------------------------------------

mkdir alone
cp "$KBENCH" alone/kbench
cat >expected <<'END'
T-PUB-1  76/76 statistics of tables 3.4, 3.5, A.2.1, A.2.2 and A.2.3 as printed
T-PUB-2  90/90 cells of Y of table A.2.2 as printed
T-PUB-3  4/4 regressions of figure 8 as computed independently; as printed: C1_Linux C2_Linux
END
lonely=
unshare -n true 2>/dev/null && lonely='unshare -n'
(cd alone && $lonely env -i ./kbench analyze --published) >out 2>err || fail "T-PUB-4: exit code $?: $(cat err)"
head -n 3 out | diff expected - || fail "T-PUB-4: expected (<) and printed (>) differ"
reads 'C1_Darwin intercept: printed -2025.2, the points give -20204.34: cannot be right'
# A program in which one printed digit is another one must say so.
for change in 4539.96/4539.95 4546.54/4546.55 2681.261840/2681.261841; do
	LC_ALL=C sed "s/${change%/*}/${change#*/}/" "$KBENCH" >alone/kbench
	alone/kbench analyze --published >out 2>err
	[ $? -eq 5 ] || fail "T-PUB-4: $change is not noticed"
	grep -q "^differs: .*${change#*/}" out || fail "T-PUB-4: $change is not named: $(tail -n 1 out)"
done
sh "$KB_SRC/tools/published-table" "$KB_SRC" | diff - "$KB_SRC/src/study/published_data.c" ||
	fail "the published tables (<) and their compiled copy (>) differ"
