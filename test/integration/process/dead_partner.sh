#!/bin/sh
# A partner that dies must end the launch soon, whatever the measuring side waits in: a pipe, a spinning read, a datagram
# socket, a futex, a semaphore, a message queue, a ring of pipes. Each row is then invalid and says so.
# runs: 2 s
set -eu
. "$KB_SRC/test/support/check.sh"
needs python3
$cc -O2 -Wall -Wextra -Werror -shared -fPIC "$KB_SRC/test/integration/preload/dying.c" -o dying.so

LD_PRELOAD=$PWD/dying.so gives 5 run ipc.pipe_latency ipc.udp_latency ipc.futex ipc.sem ipc.msg ctx.ring ipc.unix_bw \
	-p placement=same-cpu -p processes=4 -p size=0 -p chunk=4K --processes 1 --budget 30s --timeout 15s --no-store --json
python3 - <<'END'
import json
rows = json.load(open("out"))["results"]
bad = [r for r in rows if r["verdict"]["status"] not in ("invalid", "skipped") or any(
    c["code"] in ("timeout", "crashed") for c in r["verdict"]["reasons"])]
for r in bad:
    print("%s %s: %s" % (r["benchmark"], r["params"], r["verdict"]))
raise SystemExit(bool(bad) or not any(r["verdict"]["status"] == "invalid" for r in rows))
END
