"""What the parts of the campaign that kill share: who is killed, what is counted, and what may not be left of what was killed."""
import trial
from trial import KBENCH

COMBINATIONS = ("run", "guardian", "collector", "run+guardian", "run+collector", "guardian+collector", "run+guardian+collector")
SWEEP = [KBENCH, "run", "sys.null", "--no-store", "--processes", "1", "--precision", "100%", "--budget", "2s", "--quiet"]
SETTLE = 5       # seconds after which nothing of a run may live or be on the disk


class Tally:
    def __init__(self):
        self.kills = self.processes = self.left = self.unsound = self.exits = self.failures = 0
        self.lost_max = self.settings_wrong = 0         # printed by those parts that look at them

    def fail(self, place, text):
        self.failures += 1
        print("%s: %s" % (place, text), flush=True)

    def print_figures(self, **more):
        trial.figures(kills=self.kills, killed_processes=self.processes, left=self.left, unsound=self.unsound, wrong_exits=self.exits, **more)


def check_left(tally, place, seen, swept):
    """Nothing of it lives or lies about; what the next run has to do, it has done."""
    rest = []
    if not seen.await_end(SETTLE):
        rest.append("processes live")
    rest += trial.await_no_litter(SETTLE if not rest else 0)
    if rest:
        tally.left += 1
        tally.fail(place, "left behind%s: %s" % (" after the next run" if swept else "", ", ".join(rest)))
