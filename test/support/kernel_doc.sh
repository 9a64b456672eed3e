# shellcheck shell=sh
# What the tests of doc/kernel.md share: its listings and its commands, as they stand there. Needs check.sh.

# write_listings FOLDER: each listing as a file there, by the name that its first line says.
write_listings() {
	mkdir -p "$1"
	awk -v folder="$1" '
	$0 == "```c" { first = 1; next }
	/^```/ { file = "" }
	first { file = folder "/" $2; sub(/:$/, "", file); first = 0 }
	file != "" { print >file }' "$KB_SRC/doc/kernel.md"
}

# What is done where there is a compiler, and what where the modules are.
host_commands() {
	listings sh kernel.md | grep '^kbench kernel build'
}

guest_commands() {
	listings sh kernel.md | grep -v '^kbench kernel build'
}

# own_modules FOLDER: the modules that the commands of doc/kernel.md build from its listings, for the guest's kernel, and what the
# guest executes of that page. Of the benchmarks that come with kbench it has one, to be quick; what is unchanged is not built again.
# Needs $guest.
own_modules() {
	into=$1
	key=$(listings c kernel.md | cat - "$KBENCH" "$KB_SRC/kmod/Kbuild" "$KB_SRC"/kmod/*.h "$KB_SRC"/kmod/framework/*.[ch] "$KB_SRC"/src/base/*.[ch] \
		"$KB_SRC"/src/measure/*.[ch] | cksum)
	if [ "$(cat "$into/key" 2>/dev/null)" != "$key" ]; then
		rm -rf "$into"
		build_own "$into" || return 1
		echo "$key" >"$into/key"
	fi
}

build_own() {
	headers=$(echo "$("$guest" fetch)"/system/usr/src/linux-headers-*-cloud-amd64) && mkdir -p "$1/tree/src/os" "$1/work" || return 1
	for part in kmod include tools; do
		cp -r "$KB_SRC/$part" "$1/tree/" || return 1
	done
	for part in base arch measure trace os/kernel; do
		cp -r "$KB_SRC/src/$part" "$1/tree/src/$part" || return 1
	done
	find "$1/tree/kmod/bench" -name '*.c' ! -name null.c -delete
	cp "$KBENCH" "$KB_COLLECT" "$1/tree/"
	write_listings "$1/work"
	host_commands | grep -e --bench | sed "s|\$| --headers $headers --output $1/modules|" >"$1/commands"
	# The command as it stands there, but with these headers, and not into the cache of whoever tests.
	(cd "$1/work" && PATH="$1/tree:$PATH" sh -eu "$1/commands")
}

# debian_kernel: $folder, $image and $headers of the kernel that tools/guest fetches; ends the test where there is none. The cache is the test's
# own from then on, and tables are as wide as for a file.
debian_kernel() {
	folder=$("$guest" fetch 2>error) || {
		code=$?
		cat error
		exit $code
	}
	unset COLUMNS
	XDG_CACHE_HOME=$PWD/cache
	export XDG_CACHE_HOME
	image=$(ls "$folder"/system/boot/vmlinuz-*) headers=$(ls -d "$folder"/system/usr/src/linux-headers-*64)
	[ -r "$image" ] && [ -d "$headers" ] || fail "no image or headers in $folder"
}

# patched_headers: $patched, copies of $headers in which siphash() of one word has a nop more: a patch that a module sees.
patched_headers() {
	cp -al "$folder/system" patched 2>/dev/null || { rm -rf patched && cp -a "$folder/system" patched; } || exit 1
	inline=$(find patched -path '*common*/include/linux/siphash.h' | head -n 1)
	[ -f "$inline" ] || fail "no siphash.h among the headers"
	cp "$inline" plain.h && rm "$inline"
	awk '{ print } /^static inline u64 siphash\(/ { inside = 1 } inside && /^\{/ { print "\tasm volatile(\"nop\");"; inside = 0 }' plain.h >"$inline"
	[ "$(grep -c nop "$inline")" -eq 1 ] || fail "no nop in the copy of siphash.h"
	patched=patched/usr/src/$(basename "$headers")
}
