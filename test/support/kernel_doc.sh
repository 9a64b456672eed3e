# What the tests of doc/kernel.md share: its listings and its commands, as they stand there. $page is the file.
page=$KB_SRC/doc/kernel.md

# blocks LANGUAGE: what stands between ```LANGUAGE and ```.
blocks() {
	awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$page"
}

# listings FOLDER: each listing as a file there, by the name that its first line says.
listings() {
	mkdir -p "$1"
	awk -v folder="$1" '
	$0 == "```c" { first = 1; next }
	/^```/ { file = "" }
	first { file = folder "/" $2; sub(/:$/, "", file); first = 0 }
	file != "" { print >file }' "$page"
}

# What is done where there is a compiler, and what where the modules are.
host_commands() {
	blocks sh | grep '^kbench kernel build'
}

guest_commands() {
	blocks sh | grep -v '^kbench kernel build'
}
