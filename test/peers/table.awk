# Prints the table of peers.sh. Reads lines with tabs: "field FILE NAME TEXT", "skipped FILE REASON" and
# "pair FILE THEIRS SHARE" followed by the fields of rows.awk. Times in ns; a rate where the anchor has `bytes`.
#
# Both sides are treated alike: the mean of the rounds, its interval from t over rounds. An anchor's time contains what
# others ran on its CPU meanwhile; our intervals with a switch in them do not count. So what is said of the two is read
# from the ratio to the anchor's CPU time: the interval of the mean log ratio of the rounds' pairs.

function t95(freedom,    table, count)
{
	count = split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145 2.131", table, " ")
	return freedom <= count ? table[freedom] : 1.96 + 2.4 / freedom
}

function squares(sum, sum_of_squares, n,    s)
{
	s = sum_of_squares - sum * sum / n
	return s > 0 ? s : 0
}

# A time or a rate with its unit; one digit more than the spread usually leaves.
function shown(file, ns)
{
	if (ns <= 0)
		return "-"
	if (bytes[file])
		return sprintf("%.4g GB/s", bytes[file] / ns)
	if (ns < 1e3)
		return sprintf("%.4g ns", ns)
	return ns < 1e6 ? sprintf("%.4g us", ns / 1e3) : sprintf("%.4g ms", ns / 1e6)
}

function spread(sum, sum_of_squares, n)
{
	return n < 2 ? "-" : sprintf("%.1f", 100 * sqrt(squares(sum, sum_of_squares, n) / (n - 1)) / (sum / n))
}

# The half-width of a mean, in percent of it.
function width(sum, sum_of_squares, n)
{
	return n < 2 ? "-" : sprintf("%.1f", 100 * t95(n - 1) * sqrt(squares(sum, sum_of_squares, n) / (n - 1) * n) / sum)
}

function reading(low, high, n)
{
	if (n < 2)
		return "one pair"
	if (high / low > 1.5)
		return "too wide"
	if (low <= 1 && high >= 1)
		return "agree"
	if (low > 0.95 && high < 1.05)
		return "within 5 %"
	return low > 1 ? "ours longer" : "ours shorter"
}

function verdicts(file,    s, text)
{
	for (s in status_count)
		if ((file, s) in seen)
			text = text (text == "" ? "" : " ") s (seen[file, s] < rounds_of[file] ? " " seen[file, s] : "")
	return text == "" ? "-" : text
}

function row(file,    n, half, low, high, range, ratio, wall, says)
{
	n = pairs[file]
	range = ratio = wall = "-"
	if (file in skipped)
		says = skipped[file]
	else if (n == 0)
		says = "no value of " (theirs_n[file] ? "ours" : "the anchor")
	else {
		half = n > 1 ? t95(n - 1) * sqrt(squares(logs[file], logs2[file], n) / (n - 1) / n) : 0
		low = exp(logs[file] / n - half)
		high = exp(logs[file] / n + half)
		range = n < 2 ? "-" : sprintf("%.3f..%.3f", low, high)
		ratio = sprintf("%.3f", exp(logs[file] / n))
		wall = sprintf("%.3f", exp(walls[file] / n))
		says = reading(low, high, n) (of[file, "why"] == "" ? "" : " *")
	}
	printf format, of[file, "quantity"], of[file, "program"],
		theirs_n[file] ? shown(file, theirs[file] / theirs_n[file]) : "-",
		spread(theirs[file], theirs2[file], theirs_n[file]),
		rounds_of[file] ? sprintf("%.0f", share[file] / rounds_of[file]) : "-",
		ours_n[file] ? shown(file, ours[file] / ours_n[file]) : "-", width(ours[file], ours2[file], ours_n[file]),
		file in skipped ? "skipped" : verdicts(file), wall, ratio, range, says
}

$1 == "field" {
	if (!($2 in known))
		order[++files] = $2
	known[$2] = 1
	of[$2, $3] = $4
	if ($3 == "bytes")
		bytes[$2] = $4
	if ($3 == "quantity" && length($4) > widest)
		widest = length($4)
}

$1 == "skipped" {
	skipped[$2] = $3
	packages[of[$2, "package"]] = $3 ~ /not installed/
}

$1 == "pair" {
	status = $6 == "" ? "no row" : $6
	rounds_of[$2]++
	share[$2] += $4
	status_count[status] = 1
	seen[$2, status]++
	x = $7 == "-" ? 0 : $7 * (of[$2, "per"] ? of[$2, "per"] : 1)
}

$1 == "pair" && $3 ~ /^[0-9]/ && $3 > 0 {
	theirs_n[$2]++
	theirs[$2] += $3
	theirs2[$2] += $3 * $3
}

$1 == "pair" && x > 0 {
	ours_n[$2]++
	ours[$2] += x
	ours2[$2] += x * x
}

$1 == "pair" && $3 ~ /^[0-9]/ && $3 > 0 && x > 0 {
	pairs[$2]++
	ratio = log(x / $3 / ($4 > 0 && of[$2, "clock"] != "wall" ? $4 / 100 : 1))
	logs[$2] += ratio
	logs2[$2] += ratio ^ 2
	walls[$2] += log(x / $3)
}

END {
	printf "anchors and KBench alternate on CPU %d: %d rounds; a KBench result has 3 processes and at most %s\n", cpu, rounds,
		budget
	print "theirs, ours: means over the rounds. CV of the anchor, +-: half-width of our 95 % CI (t over rounds), both in %."
	print "cpu: CPU time of the anchor in % of its wall time. ratio: our time / their wall time. on cpu: our time / their CPU"
	print "time, with its 95 % CI. *: a ratio other than 1 is expected, for the reason printed below.\n"
	format = "%-" widest "s  %-12s %11s %5s %4s  %11s %5s  %-14s %7s %7s  %-13s  %s\n"
	printf format, "quantity", "anchor", "theirs", "CV", "cpu", "ours", "+-", "verdict", "ratio", "on cpu", "interval",
		"reading"
	for (i = 1; i <= files; i++)
		row(order[i])
	printf "\ncommands to repeat each measurement, after taskset -c %d, and what the anchor counts as one operation\n", cpu
	print "$ANCHOR is anchor.cc compiled by c++ -O2 -std=c++17 anchor.cc -lbenchmark -lpthread"
	print "$HELLO is kbench-hello of the build"
	for (i = 1; i <= files; i++) {
		file = order[i]
		printf "\n%s\n  %s\n", of[file, "quantity"], of[file, "run"]
		if (of[file, "counts"] != "")
			printf "  one: %s\n", of[file, "counts"]
		printf "  kbench run %s%s\n", of[file, "ours"], of[file, "per"] ? ", times " of[file, "per"] : ""
		if (of[file, "why"] != "")
			printf "  * %s\n", of[file, "why"]
	}
	for (name in packages)
		if (packages[name])
			missing = missing " " name
	if (missing != "")
		printf "\nto install the missing programs: apt-get install%s\n", missing
}
