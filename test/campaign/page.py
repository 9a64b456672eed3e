"""The page of a campaign: one file, no network, for light and dark."""
import html

STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --soft: #666; --line: #ddd; --passed: #176f2c; --failed: #b3261e; --skipped: #7a5c00 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --back: #161616; --soft: #a0a0a0; --line: #3a3a3a; --passed: #6fcf7f; --failed: #ff8a80;
  --skipped: #e0c060 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--soft) } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.passed, .failed, .skipped { font-weight: 600 }
.passed { color: var(--passed) } .failed { color: var(--failed) } .skipped { color: var(--skipped) }
.soft { color: var(--soft) } pre { overflow-x: auto; white-space: pre-wrap; font-size: 13px; margin: .3rem 0; border-left: 3px solid var(--failed); padding-left: .7rem }
"""


def escape(text):
    """Output of programs may hold characters that no page may hold."""
    return html.escape("".join(c if c.isprintable() or c in "\n\t" else "�" for c in str(text)))


def tally(entries):
    count = {verdict: sum(1 for entry in entries if entry["verdict"] == verdict) for verdict in ("passed", "failed", "skipped")}
    return ", ".join('<span class="%s">%d %s</span>' % (verdict, number, verdict) for verdict, number in count.items() if number)


def machine_text(machine):
    return "%s · %s CPUs · %s · %s" % (machine["cpu"], machine["cpus"], machine["kernel"], machine["arch"])


def row(entry, newest):
    figures = " · ".join("%s&nbsp;%s" % (escape(name.replace("_", " ")), escape(value)) for name, value in entry["figures"].items())
    why = '<div>%s</div>' % escape(entry["why"]) if entry["why"] else ""
    output = "<pre>%s</pre>" % escape("\n".join(entry["output"])) if entry["output"] else ""
    old = "" if entry["of"]["commit"] == newest else ' <span class="soft">(older)</span>'
    return "<tr><td>%s</td><td class=\"%s\">%s</td><td>%s%s%s</td><td class=\"number\">%.1f s</td><td>%s</td><td>%s%s</td></tr>" % (
        escape(entry["step"]), escape(entry["verdict"]), escape(entry["verdict"]), figures, why, output, entry["seconds"], escape(entry["when"]),
        escape(entry["of"]["commit"]), old)


def table(part, entries, newest):
    head = "<tr><th>step</th><th>verdict</th><th>figures</th><th>took</th><th>when</th><th>commit</th></tr>"
    return "<h2>%s: %s</h2>\n<div class=\"wide\"><table>%s\n%s\n</table></div>" % (
        escape(part), tally(entries), head, "\n".join(row(entry, newest) for entry in entries))


def report(entries):
    newest = max(entries, key=lambda entry: entry["when"])
    machines = sorted({machine_text(entry["machine"]) for entry in entries})
    lines = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
             "<title>KBench: campaign</title><style>%s</style></head><body>" % STYLE, "<h1>KBench: campaign</h1>",
             "<p>%s. Newest step %s, commit %s.</p>" % (tally(entries), escape(newest["when"]), escape(newest["of"]["commit"]))]
    lines += ['<p class="soft">%s</p>' % escape(text) for text in machines]
    for part in sorted({entry["part"] for entry in entries}):
        lines.append(table(part, [entry for entry in entries if entry["part"] == part], newest["of"]["commit"]))
    return "\n".join(lines + ["</body></html>", ""])
