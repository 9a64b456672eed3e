"""report_check.py PAGE DOCUMENT: the page has the document as text in one element, and nothing that a label brought with it."""
import html.parser
import json
import sys

HOSTILE = "</script><img src=x onerror=alert(1)>"


class Page(html.parser.HTMLParser):
    """Tags, and what stands in the element with the id data."""

    def __init__(self):
        super().__init__()
        self.tags, self.data, self.inside = [], "", False

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = tag == "script" and dict(attrs).get("id") == "data"

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        self.data += data if self.inside else ""


def check(condition, what):
    if not condition:
        sys.exit(f"{sys.argv[1]}: {what}")


def check_samples(result, samples):
    """Kept of all, each cause by its share, in run order."""
    check(samples["kept"] == sum(len(p["n"]) for p in samples["processes"]), "kept")
    check(samples["all"] == sum(samples["counts"]) == 2400, "all")
    kept = [samples["causes"][int(c, 36)] for p in samples["processes"] for c in p["cause"]]
    for cause, count in zip(samples["causes"], samples["counts"]):
        share = count / samples["all"] - kept.count(cause) / len(kept)
        check(abs(share) < 2 * len(samples["processes"]) / len(kept), f"{cause}: shares differ by {share}")
    clean = samples["counts"][0] / samples["all"]
    check(abs(clean - result["clean_share"]) < 0.01, f"clean {clean}, in the result {result['clean_share']}")
    for p in samples["processes"]:
        check(len(p["n"]) == len(p["y"]) == len(p["t"]) == len(p["block"]) == len(p["cause"]), "lengths")
        check(p["t"] == sorted(p["t"]) and p["t"][0] == 0 and p["t"][-1] > 29, "first and last")
        check(p["used"] and p["mhz"] == 1000 and p["all"] == 300, "a process")
        check(len(p["base"]["n"]) == len(p["base"]["y"]) == len(p["base"]["cause"]) >= 2, "the empty loop")


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    with open(sys.argv[2], encoding="utf-8") as file:
        alone = json.load(file)
    check("img" not in page.tags and page.tags.count("html") == 1, "tags of a label")
    check(not set("<>&\u2028\u2029") & set(page.data), "not escaped")
    document = json.loads(page.data)
    check(document["schema"] == "kbench-report/1", "schema")
    document["made"] = alone["made"]
    run = document["runs"][0]
    check(len(run["results"]) == len(run["samples"]) == 50, "results")
    check(len(run["timeline"]) == 400, "timeline")
    check(run["timeline"][0]["start_s"] == 0.1 and run["timeline"][0]["end_s"] > 0.12, "a process on the time line")
    check(run["run"]["label"] == HOSTILE and HOSTILE in run["results"][0]["row"], "label")
    check(run["results"][0]["domain"] == "SYSTEM CALLS", "domain")
    for result, samples in zip(run["results"], run["samples"]):
        check_samples(result, samples)
    codes = {r["code"] for x in run["results"] for r in x["verdict"]["reasons"]}
    check(codes <= set(document["reasons"]) and all(r["text"] for r in document["reasons"].values()), "reasons")
    check(len(document["comparison"]["rows"]) == 50 and document["floor"] > 0, "comparison")
    check(all(len(h["points"]) == 3 and h["points"][0]["commit"] == "abc1234" for h in document["history"]), "history")
    # Without the template there is more room for samples; else both are the same.
    for one in (document, alone):
        one["runs"][0].pop("samples")
    check(document == alone, "the page and --json differ")


main()
