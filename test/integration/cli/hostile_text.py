"""The work of hostile_text.sh: hostile_text.py KBENCH SOURCES, in a folder of its own with hostile.so. Every output of a command
that prints for people is UTF-8 without controls but line ends, marks of direction and separators. Exit code 1 with the places."""
import json
import os
import sqlite3
import subprocess
import sys

kbench, sources = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sources, "test/campaign"))
from look import bad, hostile, quoted, record  # noqa: E402
failed = False
commands = 0

# In groups that no message cuts off, and all of those that JSON and a store can hold.
groups = [b"".join(hostile[i:i + 4]) for i in range(0, len(hostile), 4)]
utf8 = "".join(h.decode() for h in hostile if h.decode("utf-8", "ignore").encode() == h)
legal = "é µ ± 日本"

def complain(text):
    global failed
    failed = True
    print(ascii(text))


def run(*words, stdin=b"", env=None):
    """Code, output, messages of a command, as bytes."""
    global commands
    commands += 1
    done = subprocess.run([kbench, *words], input=stdin, capture_output=True, timeout=60, env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr


def look(words, where, text, tabs):
    try:
        text = text.decode()
    except UnicodeDecodeError as error:
        return complain("%s: no UTF-8 on %s: %s: %r" % (words, where, error, text[max(error.start - 40, 0):error.end + 20]))
    # Where source lines are shown again their tabs stay, or the caret would stand elsewhere.
    found = bad.search(text.replace("\t", " ") if tabs else text)
    if found:
        complain("%s: %r on %s: %r" % (words, found.group(), where, text[max(found.start() - 40, 0):found.end() + 20]))


def clean(*words, code=None, says=None, tabs=False, **how):
    """Runs it and looks at all it prints; the code, if one is given, and a text that must be there."""
    got, out, err = run(*words, **how)
    look(words, "standard output", out, tabs)
    look(words, "standard error", err, tabs)
    if got < 0 or (code is not None and got != code):
        complain("%s: exit code %d, not %s: %s" % (words, got, code, err))
    if says and says.encode() not in out + err:
        complain("%s: does not say %r: %s" % (words, says, (out + err)[:2000]))
    return out


def refused(*words, says=None, **how):
    """One line and exit code 2."""
    got, out, err = run(*words, **how)
    look(words, "standard output", out, False)
    look(words, "standard error", err, False)
    if got != 2 or err.count(b"\n") != 1 or out:
        complain("%s: not refused with one line: %d, %s %s" % (words, got, out, err))
    if says and says.encode() not in err:
        complain("%s: does not say %r: %s" % (words, says, err))


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


# ---- what is typed ----------------------------------------------------------------------------------------

for h in hostile:
    refused(h, says="no command")
    refused(b"--" + h, says="unknown option")
    refused("run", "--label", b"a" + h, "no.benchmark", says="--label")
refused("--\u65e5\u672c", says="unknown option '--\u65e5\u672c'")
for g in groups:
    for words in (["help", g], ["run", b"--x" + g], ["run", g], ["run", "mem.latency", "-p", b"size=" + g], ["run", "-p", g + b"=1"],
                  ["run", "--budget", g], ["run", "--event", g], ["run", "--cpus", g], ["run", "--plugin", b"./" + g],
                  ["run", "--seed", g], ["list", g], ["list", "--suite", g], ["show", g], ["show", "--store", b"none" + g], ["show", "--unit", g],
                  ["compare", g, g], ["compare", "--margin", g], ["history", g, "--store", b"none" + g], ["export", g],
                  ["export", "--format", g], ["import", g], ["import", "--clock", g, "x"], ["import", "--name", g, "x"],
                  ["import", "--as", g, "x"], ["import", "-p", g, "x"], ["analyze", g], ["maintain", g],
                  ["ab", "--a", g, "--b", g], ["model", g], ["model", "--file", g], ["layers", g], ["params", g], ["doctor", g], ["runs", g], ["runs", "remove", g],
                  ["runs", "label", g, "x", "--store", b"none" + g], ["runs", "label", "x", g], ["runs", "prune", "--older-than", g],
                  ["runs", "merge", g, "--store", "merged.db"],
                  ["kernel", g], ["sel4", g], ["sel4", "--prefix", g, "doctor"], ["trace", g], ["trace", "analyze", g], ["yamba", g],
                  ["yamba", "check", g + b".yamba"], ["yamba", "build", g]):
        clean(*words)
    for words in ([g], ["show", g], ["run", "-p", g], ["runs", g, ""]):
        clean("--complete", *words, code=0, tabs=True)

# ---- records ----------------------------------------------------------------------------------------------

# No control can stand in a line; all else can, plainly, and everything as an escape.
plain = b"_".join(h for h in hostile if not any(c < 32 or c == 127 for c in h))
anything = b"_".join(hostile)
quote = quoted(anything)
texts = {
    "escapes": record(param=b"p=" + quote, env=b"machine=%s kernel=%s\nenv cpu_model=%s\nnote maybe_sibling %s" %
                      (quote, quote, quote, quoted(anything[:150])), fields=b" x.y=1"),
    "refuted": record(fields=b" flags=refuted refuted=" + quoted(anything[:70])),
    "bytes": record(param=b"p=" + plain, env=b"machine=%s kernel=%s %s=1 code=%s arch=%s\nper %s\nnote maybe_sibling %s\n"
                    b"expect %s per_op=1 per_sample=0 tolerance=0.1 who=all" %
                    (plain, plain, plain[:50], plain[:12], plain[:8], plain[:20], plain, plain[:40]), fields=b" x.%s=1" % plain[:20]),
    "clock": record(clock=plain[:10]),
    "method": record(method=plain[:10]),
    "fail": record(end=b"fail stage=%s errno=5 %s\n" % (quoted(groups[0][:12]), quoted(anything[:200]))),
    "seL4": record(bench=b"host." + plain, env=b"util_tests=1 util_total=100 util_kernel=50 util_low=100"),
    "legal": record(param="p=日本±".encode(), env=b"machine=m kernel=k\nenv cpu_model=%s" % quoted(legal.encode())),
    "console": b"\x1b[2J" + anything + b"\n" + record().replace(b"\no 1 10", b"\n" + plain + b" [seL4]\no 1 10", 1) + anything,
}
# A detail is cut somewhere, and not inside a character.
for i in range(3):
    texts["cut%d" % i] = record(end=b"fail stage=op errno=5 %s\n" % quoted(b"x" * i + "日".encode() * 80))
imported = {"fail": 5, "cut0": 5, "cut1": 5, "cut2": 5, "refuted": 5, "seL4": 2}
for name, text in texts.items():
    write(name + ".log", text)
    code = imported.get(name, 0)
    clean("import", name + ".log", "--label", name, "--store", "a.db", code=code)
    clean("import", "-v", "-", "--label", name + "2", "--store", "b.db", stdin=text, code=code)
    clean("import", name + ".log", "--json", "--store", "b.db", code=code)
    clean("analyze", name + ".log")
    clean("analyze", "--json", name + ".log")
    clean("trace", "analyze", name + ".log", code=0 if name == "seL4" else 2)
    for command in (["show", name], ["show", name, "-v", "--plot"], ["show", "--table", name], ["show", name, "escapes"],
                    ["compare", name, "escapes"], ["compare", "--any-env", "--any-config", name, "escapes"]):
        clean(*command, "--store", "a.db")
clean("show", "legal", "-v", "--store", "a.db", code=0, says="日本±")
clean("show", "legal", "--store", "a.db", code=0, says=legal)
for command in (["runs"], ["history", "host.ile"], ["history", "*"], ["maintain"], ["show", "bytes", "-v"]):
    clean(*command, "--store", "a.db", code=0)

# A name of a benchmark is one plain word; of a damaged record it is not known.
for name in [b"host.\xc2\x9bile", b"host ile", b"host.ile.", b"x" * 64, "h.日本".encode(), b"h=1", b"h/x", b"\xe2\x80\xae"] + groups[2:]:
    if not any(c < 32 or c == 127 for c in name):
        write("named.log", record(bench=name))
        refused("import", "named.log", "--store", "c.db", says="named.log:")
        write("named.log", record(bench=name)[:900])
        clean("import", "named.log", "--store", "d.db", code=5, says="unknown.record")
if os.path.exists("c.db"):
    complain("something refused was stored")

# ---- logs of others ---------------------------------------------------------------------------------------

table = b"Initial Test size: 1\nDelta: 1\nNumber of Tests / Sample size of Accumulated latency: 3\nNumber of Groups: 2\n" \
        b"Accumulated latencies (clock cycles): \n10 20\n11 21\n10 22\n\nDone!\n"
clean("import", write("k.log", anything + b"\n" + table), "--store", "a.db", "--label", "k", code=0)
for g in groups:
    clean("import", write("k2.log", table.replace(b"11 21", b"11 " + g)), "--store", "a.db", "--machine", g)
    clean("analyze", "k2.log")
    clean("import", "k.log", "--machine", g, "--store", "a.db", code=0)


def bench_json(name, column, value):
    return json.dumps([{"Benchmark": name, "Results": [{column: value, "Mean": 5, "Stddev": 1, "Samples": 16}]}],
                      ensure_ascii=False).encode()


for h in hostile:
    text = h.decode("utf-8", "replace")
    clean("import", "-", "--store", "e.db", stdin=bench_json("a" + text, "b" + text, "c" + text), code=0)
    line = json.dumps({"ts": "2026-06-12T05:57:25Z", "sha": "m" + text, "sha_kernel": text, "run_id": 1, "ipc" + text: [1, 2, 3, 4, 5, 6, 1, 16]})
    clean("import", "-", "--store", "e.db", "--machine", h, stdin=line.encode(), code=0)
    clean("import", "-", "--store", "e.db", stdin=b'[{"Benchmark": "a' + h + b'", "Results": [')
    clean("import", "-", "--store", "e.db", stdin=b'[{"Benchmark": "a' + h + b'", "Results": [{"Mean": "' + h + b'"}]}]')
    # A line may be one of a console, whose escape sequences are taken out; a return or a tab is taken off, and a line end ends it.
    if h[:1] not in b"\n\r\t\x1b":
        refused("analyze", write("t.csv", b"name,x,y\na" + h + b"b,1,2\na" + h + b"b,2,3\n"), says="t.csv:2: the name 'a")
clean("analyze", write("t.csv", "name,x,y\né日本,1,2\né日本,2,3\né日本,3,5\n".encode()), code=0, says="é日本")
for command in (["show", "-v"], ["runs"], ["history", "*"], ["compare", "--any-env", "last~1", "last"]):
    clean(*command, "--store", "e.db")

# ---- names of files ---------------------------------------------------------------------------------------

with open(os.path.join(sources, "model", "copy.model"), "rb") as file:
    model = file.read()
for g in groups:
    name = b"f_" + g.replace(b"/", b"") + "日本".encode()
    write(name, texts["legal"])
    clean("analyze", name, code=0, says="日本: record")
    clean("analyze", "--json", name, code=0)
    clean("trace", "analyze", write(b"seL4" + name, texts["seL4"]), code=0, says="日本: ")
    clean("trace", "analyze", "--json", b"seL4" + name, code=0)
    clean("import", name, "--store", name + b".db", code=0)
    clean("show", "--store", name + b".db", code=0)
    clean("show", "nothing", "--store", name + b".db", code=2)
    clean("history", "nothing", "--store", name + b".db", code=2)
    clean("trace", "analyze", name)
    clean("model", "--file", write(name + b".model", b"about " + g + b"\n"))
    clean("model", "--list", "-v", "--file", write(name + b".model", model), tabs=True, code=0, says="日本.model")
    if not set(g) <= set(b"\n\r\t\x7f"):
        clean("layers", "--list", "--file", write(name + b".layers", b"about a " + g + b"b\nlayer linux sys.null\n"), code=2, says="no text")
    clean("layers", "--list", "--file", write(name + b".layers", "about é\nlayer linux sys.null\n".encode()), code=0, says="é")
    # A string where a name should stand is in the message, too.
    for text in (b"yamba " + g, b"yamba a {\n\t\"" + g, b"yamba '" + g + b"' {\n}", b"yamba \"" + g.replace(b"\n", b"") + b"\" {\n}"):
        write(name + b".yamba", text + b"\n")
        clean("yamba", "check", name + b".yamba", tabs=True)
        clean("yamba", "build", name + b".yamba", tabs=True)
    for text in (b"yamba a {\n\tvoid benchmark(void) { }\n}\n", b"yamba a {\n}\n"):
        write(name + b".yamba", text)
        clean("yamba", "build", name + b".yamba", env={"CC": "no-cc" + g.decode("utf-8", "surrogateescape")})

# The caret stands below its place, also behind what is shown as something else.
write("caret.model", b"about \xc2\xb5x \x9b\xe2\x80\xaey\n")
out = run("model", "--file", "caret.model")[2].decode().splitlines()
if len(out) != 3 or out[1] != "  about µx ??y" or out[2] != "           ^":
    complain("the caret: %s" % out)
write("caret.yamba", 'class A_µ\u202e { "abc\n'.encode())
out = run("yamba", "check", "caret.yamba")[2].decode().splitlines()
if out[1:3] != ['    class A_µ? { "abc', "               ^"]:
    complain("the caret of yamba: %s" % out)

# A model with comments is printed as it stands.
write("listed.model", b"# " + anything.replace(b"\n", b"") + "日本\n\n".encode() + model)
clean("model", "--list", "-v", "--file", "listed.model", code=0, says="日本", tabs=True)

# ---- a plug-in --------------------------------------------------------------------------------------------

clean("run", "-v", "--plugin", "./hostile.so", "-p", "what=fail,skip,unproven,covariate,refute", "--processes", "1", "--precision", "100%", "--budget",
      "8s", "--store", "p.db", code=5, says="é日")
clean("show", "-v", "--store", "p.db", code=0, says="é日")
clean("maintain", "--store", "p.db", code=0)

# ---- a store from elsewhere -------------------------------------------------------------------------------


def change(store, statement, *values):
    base = sqlite3.connect(store)
    with base:
        base.execute(statement, values)
    base.close()


def stored(store, what):
    base = sqlite3.connect(store)
    rows = base.execute(what).fetchall()
    base.close()
    return rows


def spoil(value, key=""):
    """Hostile text behind every text of a document."""
    if isinstance(value, dict):
        return {k: v if k in ("status", "severity", "headline", "bound") else spoil(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v) for v in value]
    return value + utf8 + legal if isinstance(value, str) else value


with open("p.db", "rb") as file:
    write("s.db", file.read())
for number, row, text in stored("s.db", "SELECT number, row, json FROM summary"):
    document = spoil(json.loads(text))
    document["params"]["\u202e\x1bkey"] = "\u2066value"
    change("s.db", "UPDATE summary SET row = ?, json = ? WHERE number = ?", row + utf8, json.dumps(document), number)
for number, env, settings in stored("s.db", "SELECT number, env, settings FROM run"):
    env, settings = json.loads(env), spoil(json.loads(settings))
    env = {**env, "facts": {k + "\u202e": v + utf8 for k, v in env["facts"].items()} | {"cpu_model": "x" + utf8 + legal, "cpus": "2" + utf8},
           "readings": {"kernel": "6.1" + utf8, "hypervisor": "kvm" + utf8}, "id": utf8}
    change("s.db", "UPDATE run SET label = ?, env = ?, settings = ?, env_class = ?, command = ? WHERE number = ?", "label " + utf8 + legal,
           json.dumps(env), json.dumps(settings), "class" + utf8, utf8, number)
change("s.db", "UPDATE launch SET row = row || ?, outcome = 'signal=11 ' || ?", utf8 + legal, utf8)
# As it stands, all of that is damage, which is told; as a store of schema 1 it is what its owner wrote.
for command in (["show"], ["compare", "last", "last"], ["history", "*"]):
    clean(*command, "--store", "s.db", code=2)
for statement in ("DROP TRIGGER summary_added", "DROP TRIGGER summary_changed", "DROP TABLE result", "DROP TABLE run_facts", "DROP INDEX run_label", "DROP INDEX floor_key",
                  *("ALTER TABLE %s DROP COLUMN checksum" % table for table in ("run", "launch", "comparison", "floor")), "PRAGMA user_version = 1"):
    change("s.db", statement)
show = (["show"], ["show", "-v", "--plot"], ["runs"], ["show", "last", "last"], ["compare", "last", "last"],
        ["compare", "-v", "last", "last"], ["history", "*"])
for command in show:
    clean(*command, "--store", "s.db", code=5 if command[0] == "compare" else 0)
clean("runs", "--store", "s.db", code=0, says=legal)
clean("--complete", "show", "--store", "s.db", "", code=0, says=legal, tabs=True)
for wanted in (["show", "nothing"], ["compare", "last", "last", "nothing"], ["history", "nothing"], ["show", utf8]):
    clean(*wanted, "--store", "s.db", code=2)

# JSON has the text, as escapes that make it safe on a terminal; so do exports of texts.
parsed = json.loads(clean("show", "--json", "--store", "s.db", code=0))
if not parsed["results"][0]["benchmark"].endswith(utf8 + legal) or parsed["run"]["command"] != utf8:
    complain("JSON is not what was stored: %s" % parsed["results"][0]["benchmark"])
for form in ("gbench", "google-benchmark", "junit", "openmetrics", "bencher", "github-action", "benchfmt", "sel4bench", "markdown",
             "chrome-trace"):
    clean("export", "--format", form, "--store", "s.db", tabs=form == "benchfmt")
clean("maintain", "--store", "s.db", code=0, says=": 5 results")
for command in show:
    clean(*command, "--store", "s.db", code=5 if command[0] == "compare" else 0)

# Texts that are no UTF-8, and damage in every column.
for h in hostile:
    for column in ("label", "started", "finished", "env_class"):
        change("s.db", "UPDATE run SET checksum = NULL, %s = CAST(? AS TEXT)" % column, b"2026-01-01T" + h + b"x" + h + "日".encode() * 200)
    for command in (["show"], ["runs"], ["show", "last", "last"], ["compare", "last", "last"], ["history", "*"]):
        clean(*command, "--store", "s.db", code=5 if command[0] == "compare" else 0)
for h in hostile:
    change("s.db", "UPDATE run SET checksum = NULL, id = CAST(? AS TEXT)", b"01" + h)
    clean("runs", "--store", "s.db", code=2, says="is damaged")
    clean("show", "--store", "s.db", code=2)
    clean("history", "*", "--store", "s.db", code=2)

print("%d commands" % commands)
sys.exit(failed)
