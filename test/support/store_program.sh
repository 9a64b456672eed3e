# To be sourced: store_program NAME compiles test/integration/store/NAME.c, which makes or looks at a store, into this directory.
store_program() {
	libraries=
	for layer in $(awk '$2 == "core" || $2 == "layer" { print $1 }' "$KB_SRC/src/rooms.txt"); do
		libraries="$libraries $KB_BUILD/lib/lib$layer.a"
	done
	# shellcheck disable=SC2086,SC2046 # lists of words
	$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk") -std=gnu11 -O2 -I"$KB_SRC/src" -I"$KB_SRC/src/os/linux" -I"$KB_SRC/include" -I"$KB_SRC/test" \
		"$KB_SRC/test/integration/store/$1.c" -o "$1" -Wl,--start-group $libraries -Wl,--end-group -lhwloc -ljansson -lsqlite3 -lz \
		$(sed -n 's/^LIBPQ = //p; s/^LIBPFM = //p; s/^LIBELF = //p; s/^LIBBPF = //p' "$KB_BUILD/config.mk") -lm
}
