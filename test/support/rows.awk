# Reads what `kbench run --json` or `kbench show --json` prints and writes one line a result, fields separated by tabs:
#   1 benchmark with its parameters    2 status    3 headline    4 its low    5 its high    6 observed (all ns)
#   7 headline    8 observed (both core cycles)    9 processes    10 reasons: "code [evidence]; code [evidence]"
#   11 bound    12 codes of reasons that make the verdict worse
# What is not known is "-". It knows the layout (one member a line), not JSON in general.

function value(line)
{
	sub(/^ *"[^"]*": /, "", line)
	sub(/,$/, "", line)
	if (line ~ /^".*"$/)
		line = substr(line, 2, length(line) - 2)
	return line == "null" ? "-" : line
}

function key(line)
{
	sub(/^ *"/, "", line)
	sub(/".*/, "", line)
	return line
}

function path(name)
{
	return where[3] "/" where[4] "/" where[5] "/" name
}

function print_row()
{
	printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row, of["status"], of["value"], of["low"], of["high"], of["observed"],
		of["cycles"], of["observed_cycles"], of["processes"], reasons, of["bound"], grave
}

function take(name, text)
{
	if (name == "code" && where[4] == "reasons") {
		reasons = reasons (reasons == "" ? "" : "; ") text
		code = text
	} else if (name == "severity" && where[4] == "reasons" && text != "note" && text != "cause")
		grave = grave (grave == "" ? "" : " ") code
	else if (name == "evidence" && where[4] == "reasons")
		reasons = reasons " [" text "]"
	else if (where[3] == "params")
		row = row " " name "=" text
	else if (path(name) == "///benchmark")
		row = text
	else if (path(name) in field)
		of[field[path(name)]] = text
}

BEGIN {
	field["verdict///status"] = "status"
	field["estimate///value"] = "value"
	field["estimate///low"] = "low"
	field["estimate///high"] = "high"
	field["observed///value"] = "observed"
	field["cycles/estimate//value"] = "cycles"
	field["cycles/observed//value"] = "observed_cycles"
	field["///processes"] = "processes"
	field["///bound"] = "bound"
}

# where[1] is "results", where[2] the row in it.
/[{\[]$/ {
	depth++
	where[depth - 1] = /":/ ? key($0) : ""
	if (depth == 3 && where[1] == "results")
		reasons = grave = ""
	next
}

/^ *[}\]],?$/ {
	if (depth == 3 && where[1] == "results")
		print_row()
	delete where[depth - 1]
	depth--
	next
}

where[1] == "results" && depth >= 3 { take(key($0), value($0)) }
