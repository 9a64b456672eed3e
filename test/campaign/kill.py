"""What the parts of the campaign that kill share: who is killed, what is counted, and what may not be left of what was killed."""
import os, time

import trial
from trial import KBENCH

COMBINATIONS = ("run", "guardian", "collector", "run+guardian", "run+collector", "guardian+collector", "run+guardian+collector")
SWEEP = [KBENCH, "run", "sys.null", "--no-store", "--processes", "1", "--precision", "100%", "--budget", "2s", "--quiet"]
SETTLE = 5       # seconds after which nothing of a run may live, be on the disk or be set


def begin(number):
    """Launches from nothing, a setting at rest; a store for all kills, as a team's is."""
    for name, text in (("launches", ""), ("setting", "at_rest")):
        with open(name, "w") as file:
            file.write(text)
    return "kill-%s" % number


def read(name):
    with open(name) as file:
        return file.read()


class Tally:
    def __init__(self):
        self.kills = self.processes = self.lost_max = self.left = self.settings_wrong = self.unsound = self.exits = 0
        self.failures, self.by_victims = 0, {}

    def fail(self, place, text):
        self.failures += 1
        print("%s: %s" % (place, text), flush=True)

    def print_figures(self, **more):
        trial.figures(kills=self.kills, killed_processes=self.processes, lost_max=self.lost_max, left=self.left, settings_wrong=self.settings_wrong,
                      unsound=self.unsound, wrong_exits=self.exits, **more)


def check_left(tally, place, seen, swept):
    """Nothing of the run lives, lies about or is set; what the next run has to do, it has done."""
    rest = []
    if not seen.await_end(SETTLE):
        rest.append("processes live")
    rest += trial.await_no_litter(SETTLE if not rest else 0)
    if rest:
        tally.left += 1
        tally.fail(place, "left behind%s: %s" % (" after the next run" if swept else "", ", ".join(rest)))
    if read("setting") != "at_rest":
        tally.settings_wrong += 1
        tally.fail(place, "the setting is '%s'%s" % (read("setting"), " after the next run" if swept else ""))
