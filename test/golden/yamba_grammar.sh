#!/bin/sh
# Editors color Yamba by yamba/editor/yamba.tmLanguage.json. In every program of ours the grammar finds the classes and
# members where the compiler finds them, and is back at the top at the end of the file. Skipped without Python.
set -eu
python3 -c 'import json, re' 2>/dev/null || {
	echo "skipped: no python3"
	exit 77
}
cd "$KB_SRC"
exec python3 test/golden/yamba_grammar.py yamba/editor/yamba.tmLanguage.json src/yamba/front/parse.c \
	$(find yamba/lib bench/yamba test/golden/yamba/good -name '*.yamba' 2>/dev/null | sort)
