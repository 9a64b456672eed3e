#!/bin/sh
# Prints what two contention probes take for uncontended, side by side, on a machine that others share: probes.sh [SECONDS] [CPU]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -I"$here/../../src" -I"$here/../../src/os/linux" -I"$here/../../include" "$here/probes.c" "$here/../../src/arch/x86_64/chain.c" -o "$work/probes"
"$work/probes" "$@"
