"""Whether what a command of the load did is what the manual page promises: a documented exit code, one line for an error, and that line a
clear refusal; files that are reported as written are whole. What is none of that is a finding."""
import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree

CODES = {0, 1, 2, 3, 4, 5}

# What may be refused under this load: the reason, and what the user can do about it, in one line.
REFUSALS = [re.compile(pattern) for pattern in (
	r"No space left on device(; (free|set TMPDIR|look|give|name another directory) .*)?$",
	r"a part of it found no room, and what follows would; try again$",
	r"No space left on device; free some space or give --store FILE; the run (goes on unsaved|waits in .*)$",
	r"No space left on device.*: nothing is kept",
	r"No space left on device; (nothing is lost: )?'kbench fleet gather \S+' tries again$",
	r"another process keeps it locked; try again when that has ended",
	r"get permission for it and its directory or give --store FILE",
	r'^kbench [a-z ]+: (--baseline last: )?no run "[^"]+" in the store \S+; see `kbench runs`$',
	r"^kbench [a-z ]+: (--baseline last: )?no store \S+ yet; `kbench run` makes it$",
	r"the database has no store yet: \S+; its owner makes it with `kbench runs push`$",
	r"^kbench [a-z ]+: (--baseline last: )?the store \S+ is empty; `kbench run` fills it$",
	r"^kbench [a-z ]+: cannot read \S+: no such file$",
	r"^kbench: a file that is mapped into memory, such as the store's FILE-shm, cannot be used: the disk is full, or it was cut off; ",
	r"^kbench compare: nothing to compare: run \S+ has ",
	r"^kbench run: --baseline last: run \S+ (is of environment ID|has none of these results|has no )",
	r"^kbench export: nothing to export as \S+: ",
	r"^kbench [a-z ]+: run \S+ has no results yet; 'kbench maintain \S+' makes them from its records$",
	r"^kbench history: no run in \S+ has a (result|number) of ",
	r"^kbench run: nothing measured can be printed as \S+: (invalid|skipped)",
	r"^kbench fleet report: \S+ has no run of a fleet; ",
	r"^kbench [a-z ]+: the clock fails its self-test: ",
)]

# Said once before an error of another kind: the run goes on although its store is lost, or one of a pair of runs waits and the other is lost.
GOES_ON = re.compile(r"; the run (goes on unsaved|waits in .*)$")

# An error of a program: its place and number, the line, a caret, and what to do.
PROGRAM_ERROR = re.compile(r"^\S+:\d+:\d+: error Y\d+: (?P<cause>.*)\n    .*\n *\^\n    (?P<remedy>.*)\n?$")

# What a fleet tells of itself while it goes on; why a node has nothing stands in its document.
PROGRESS = re.compile(r"kbench fleet run: (\S+, rank \d+ |nothing is lost: )|(kbench [a-z ]+: )?(note|warning): |kbench export: \d+ of \d+ results left out: ")

# Never in what a user sees.
BAD = re.compile(r"AddressSanitizer|LeakSanitizer|UndefinedBehavior|runtime error:|ThreadSanitizer|[Uu]nknown error|Assertion|Segmentation fault|"
		 r"core dumped|double free|corrupted|stack smashing|\(null\)|\bnan\b|Success$")

CRASHED = re.compile(r"SIG(SEGV|BUS|ABRT|ILL|FPE|SYS)|crashed")


class Page(html.parser.HTMLParser):
	def __init__(self):
		super().__init__()
		self.open = []
		self.problem = None

	def handle_starttag(self, tag, attrs):
		if tag in ("html", "head", "body", "script", "style", "main", "table"):
			self.open.append(tag)

	def handle_endtag(self, tag):
		if tag in ("html", "head", "body", "script", "style", "main", "table"):
			if not self.open or self.open.pop() != tag:
				self.problem = self.problem or "</%s> at %s" % (tag, self.getpos())


def check_json(text):
	json.loads(text)


def check_sel4bench(text):
	begin, end = "JSON OUTPUT\n", "END JSON OUTPUT\n"
	assert text.startswith(begin) and text.endswith(end), "it is not between its two lines"
	json.loads(text[len(begin):-len(end)])


def check_lines(text):
	assert not text or text.endswith("\n"), "the last line has no end"


def check_csv(text):
	check_lines(text)
	widths = {len(row) for row in csv.reader(io.StringIO(text))}
	assert len(widths) <= 1, "rows of %s columns" % sorted(widths)


def check_openmetrics(text):
	assert text.endswith("# EOF\n"), "no # EOF at the end"


def check_page(text):
	page = Page()
	page.feed(text)
	assert text.rstrip().endswith("</html>"), "no </html> at the end"
	assert not page.open and not page.problem, "tags: %s %s" % (page.open, page.problem)


CHECKS = {
	"google-benchmark": check_json, "google-benchmark-rows": check_json, "bencher": check_json, "benchfmt": check_lines,
	"openmetrics": check_openmetrics, "github-action": check_json, "junit": xml.etree.ElementTree.fromstring, "csv": check_csv,
	"csv-wide": check_csv, "markdown": check_lines, "hdr": check_lines, "chrome-trace": check_json, "sel4bench": check_sel4bench,
	"sel4bench-results": check_lines, "lmbench": check_lines, "page": check_page, "json": check_json,
}


def problem_of_text(form, text):
	"""None, or why that is no whole document of this form."""
	try:
		CHECKS[form](text)
	except (ValueError, AssertionError, xml.etree.ElementTree.ParseError) as error:
		return "%s is not whole: %s" % (form, error)
	return None


def problem_of_file(form, path):
	try:
		with open(path, encoding="utf-8", newline="") as file:
			return problem_of_text(form, file.read())
	except (OSError, UnicodeDecodeError) as error:
		return "%s cannot be read: %s" % (form, error)


def is_explained(command, line):
	return any(re.search(pattern, line) for pattern in [*([command["refusal"]] if command.get("refusal") else []), *REFUSALS])


def problem_of_refusal(command, err):
	program = PROGRAM_ERROR.match(err)
	if program:
		full = "No space left on device" in program["cause"] and re.match("free some space", program["remedy"])
		return None if full else "the program is right, and its error does not tell what is wrong"
	lines = err.splitlines()
	if not lines:
		return "it failed without a word"
	errors = [line for line in lines if not PROGRESS.match(line)]
	if not errors and command["kind"] == "fleet":
		return None
	if len(set(errors)) < len(errors):
		return "the same line twice"
	# Each is an error of its own: the store is lost, and later something else.
	if len(errors) > 1 and not all(GOES_ON.search(line) for line in errors[:-1]):
		return "%d lines of error, not one" % len(errors)
	unexplained = [line for line in errors if not is_explained(command, line)]
	return "not a refusal that this load explains" if unexplained or not errors else None


def crashes(out):
	"""Collectors that crashed, as a document of results tells."""
	try:
		document = json.loads(out)
	except ValueError:
		return [line.strip() for line in out.splitlines() if CRASHED.search(line)]
	found = []
	for result in document.get("results", []) if isinstance(document, dict) else []:
		verdict = json.dumps(result.get("verdict", result.get("status", "")))
		if CRASHED.search(verdict):
			found.append("%s: %s" % (result.get("benchmark"), verdict))
	return found


def judge(command, done):
	"""(outcome, problem): outcome is done, refused, stopped or killed; problem None or what is wrong."""
	code, out, err = done["code"], done["out"], done["err"]
	bad = BAD.search(err) or BAD.search(out if len(out) < 1 << 20 else "")
	if done["hung"]:
		return "refused", "still running %d s after its budget: %s" % (done["hung"], done["where"])
	if bad:
		return "refused", "'%s' in its output" % bad.group(0)
	if code < 0 and -code == done["signal"] == 9:
		return "killed", None
	# Before a command measures, and in one that does not, a signal does what it does to any program.
	if code < 0 and -code == done["signal"]:
		return "stopped", None
	if code < 0:
		return "refused", "ended by signal %d, which nobody sent" % -code
	if done["signal"] and code == 128 + done["signal"]:
		return "stopped", None if len([line for line in err.splitlines() if not PROGRESS.match(line)]) <= 1 else "more than a line for a signal"
	if code not in CODES:
		return "refused", "exit code %d is not documented for it" % code
	if command.get("wrong") and code != 2 and not (code == 5 and "scratch directory" in err):
		return "refused", "a wrong command ended with %d" % code
	if code == 2 and not (command.get("reader") == "head"):
		return "refused", problem_of_refusal(command, err)
	# Before anything was measured: no document, no failed benchmark, an error.
	if code == 5 and not out and err:
		return "refused", problem_of_refusal(command, err)
	for form, path in command.get("files", []):
		problem = problem_of_file(form, path)
		if problem:
			return "done", "%s: %s" % (path, problem)
	if command.get("form"):
		problem = problem_of_text(command["form"], out)
		if problem:
			return "done", problem
	if code and not out and not err and not command.get("stdout"):
		return "refused", "it failed without a word"
	crashed = crashes(out) if command["kind"] in ("run", "fresh", "plugin", "yamba", "remote", "ab") else []
	if crashed:
		return "done", "collectors crashed: %s" % "; ".join(crashed)
	return "done", None
