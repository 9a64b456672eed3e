#!/bin/sh
# The OpenMetrics export, read by the parser of Prometheus' own client library.
# runs: 1 s
set -u
. "$KB_SRC/test/support/check.sh"
# A python3 that somebody put before it in PATH does not see the distribution's packages.
for python in python3 /usr/bin/python3 none; do
	"$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && break
done
[ "$python" != none ] || skip "lacks python3-prometheus-client"
. "$KB_SRC/test/support/export_store.sh"
"$KBENCH" show fixed --store fixed.db --json >show.json || exit 1
"$KBENCH" export fixed --store fixed.db --format openmetrics -o out 2>err || exit 1
"$python" "$KB_SRC/test/integration/exchange/export_check.py" show.json openmetrics-client=out
