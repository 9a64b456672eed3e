# To be sourced: makes fixed.db in this folder, the store that test/integration/export_store.c describes.
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
libraries=
for layer in $(awk '$2 == "core" || $2 == "layer" { print $1 }' "$KB_SRC/src/rooms.txt"); do
	libraries="$libraries $KB_BUILD/lib/lib$layer.a"
done
# shellcheck disable=SC2086 # lists of words
$cc -std=gnu11 -I"$KB_SRC/src" -I"$KB_SRC/src/os/linux" -I"$KB_SRC/include" "$KB_SRC/test/integration/export_store.c" \
	-o export_store -Wl,--start-group $libraries -Wl,--end-group -lhwloc -ljansson -lsqlite3 -lz \
	$(sed -n 's/^LIBPFM = //p; s/^LIBELF = //p; s/^LIBBPF = //p' "$KB_BUILD/config.mk") -lm || exit 1
./export_store fixed.db || exit 1
