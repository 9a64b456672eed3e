#!/bin/sh
# A store that is removed or replaced while a run is measured: that is an error, told in a line, and the run is saved anew, under the same name or, where
# that cannot be, in a file of its own. The commands that are measured do it themselves, so no time decides.
# runs: slow, 4 s
set -u
. "$KB_SRC/test/support/check.sh"

# while_measured COMMAND: it is done by the second of three runs, whose store is d/s.db.
while_measured() {
	printf '#!/bin/sh\necho >>runs\n[ "$(wc -l <runs)" -ne 2 ] || { %s; }\n' "$1" >command
	rm -f runs
	gives 2 cmd --runs 3 --no-shell --store d/s.db --label gone "sh ./command"
	[ "$(grep -c 'was removed or replaced while the run was measured' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "not the one line: $(cat err)"
}

# whole STORE: the run is there, finished, with its result and its three processes.
whole() {
	gives 0 runs --json --store "$1"
	python3 -c 'import json; run = json.load(open("out"))["runs"][-1]; assert run["state"] == "finished" and run["results"] > 0, run' || fail "$1: $(cat out)"
	gives 0 show gone --store "$1"
	gives 0 maintain gone --store "$1"
	says '[1-9] results?$'
}
needs python3

gives 0 cmd --runs 3 --store other.db --label first true

for command in "rm -rf d" "rm -f d/s.db" "rm -f d/s.db d/s.db-wal d/s.db-shm"; do
	case=$command
	rm -rf d
	while_measured "$command"
	grep -q "saved anew in d/s\.db$" err || fail "not under its name: $(cat err)"
	whole d/s.db
done

case="replaced by another store"
rm -rf d
while_measured "cp other.db new.db && mv new.db d/s.db"
whole d/s.db
gives 0 show first --store d/s.db
case="moved away"
rm -rf d moved
while_measured "mv d moved"
whole d/s.db

case="no place"
rm -rf d
while_measured "rm -rf d; touch d"
rescued=$(sed -n 's/.* is saved anew in \(.*kbench-rescued\.[A-Za-z0-9]*\)$/\1/p' err)
[ -f "$rescued" ] || fail "no file of its own: $(cat err)"
whole "$rescued"
rm -f "$rescued" d
