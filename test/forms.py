#!/usr/bin/env python3
"""Measures the table of all forms of instructions within its time, and fails if a thousand of them have no verdict that stands.

It is `kbench yamba table` with the documented values that come with it: how many forms there are, how many of their values are ok, and how
far they are from what is documented. Ten minutes on a machine with two shared cores.

  test/forms.py                             # all forms, 10 minutes
  test/forms.py --only 'add_*'              # some of them, whatever their number
  test/forms.py --keep table.json           # keeps the table
  test/forms.py --print table.json          # counts a table that was kept

Exit code 1: fewer than a thousand forms, or fewer than nine of ten values ok; 77: no templates for this architecture.
"""
import argparse, json, os, platform, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
FORMS, SHARE = 1000, 0.9


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--keep")
    parser.add_argument("--print")
    return parser.parse_args()


def measure(wish):
    if wish.print:
        return json.load(open(wish.print))
    command = [os.path.join(wish.build, "kbench"), "yamba", "table", "--json", "--no-store", "--budget", "%gs" % (60 * wish.minutes)]
    for only in wish.only:
        command += ["--only", only]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 * wish.minutes + 300)
    if done.returncode not in (0, 5):
        sys.exit("forms.py: exit code %d: %s" % (done.returncode, done.stderr))
    table = json.loads(done.stdout)
    table["minutes"] = (time.monotonic() - started) / 60
    if wish.keep:
        json.dump(table, open(wish.keep, "w"))
    return table


def main():
    wish = options()
    if platform.machine() != "x86_64":
        print("forms.py: no templates for this architecture")
        sys.exit(77)
    table = measure(wish)
    values = [one for form in table["forms"] for one in form["latency"] + [form["throughput"]] if one]
    verdicts = {}
    for one in values:
        verdicts[one["verdict"]] = verdicts.get(one["verdict"], 0) + 1
    good = verdicts.get("ok", 0) + verdicts.get("renamed", 0)
    differs = [form for form in table["forms"] if "differs" in form]
    unknown = sum(any((why or "").startswith("nobody knows") for why in form["differs"].values()) for form in differs)
    print("%d forms, %d values in %.1f minutes: %s" % (len(table["forms"]), len(values), table["minutes"],
                                                       ", ".join("%d %s" % (n, word) for word, n in sorted(verdicts.items()))))
    print("documented (%s): %d latencies, %d throughputs; %d forms are more than 3 %% off, of %d nobody knows why" % (
        table["core"], table["latencies"]["values"], table["throughputs"]["values"], len(differs), unknown))
    sys.exit(good < SHARE * len(values) or (not wish.only and len(table["forms"]) < FORMS))


if __name__ == "__main__":
    main()
