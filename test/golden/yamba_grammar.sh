#!/bin/sh
# Editors color Yamba by yamba/editor/yamba.tmLanguage.json. In every program of ours the grammar finds the classes and
# members where the compiler finds them, and is back at the top at the end of the file. Skipped without Python.
# runs: 3 s
set -eu
. "$KB_SRC/test/support/check.sh"
python3 -c 'import json, re' 2>/dev/null || skip "skipped: no python3"
cd "$KB_SRC"
exec python3 test/golden/yamba_grammar.py yamba/editor/yamba.tmLanguage.json src/yamba/front/parse.c \
	$(find yamba/lib bench/yamba test/golden/yamba/good -name '*.yamba' 2>/dev/null | sort)
