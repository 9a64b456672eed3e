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
