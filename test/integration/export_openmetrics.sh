#!/bin/sh
# The OpenMetrics export, read by the parser of Prometheus' own client library.
set -u
# A python3 that somebody put before it in PATH does not see the distribution's packages.
for python in python3 /usr/bin/python3 none; do
	"$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && break
done
[ "$python" != none ] || {
	echo "lacks python3-prometheus-client"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$KB_SRC/test/support/export_store.sh"
"$KBENCH" show fixed --store fixed.db --json >show.json || exit 1
"$KBENCH" export fixed --store fixed.db --format openmetrics -o out 2>err || exit 1
"$python" "$KB_SRC/test/integration/export_check.py" show.json openmetrics-client=out
