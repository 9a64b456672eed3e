#!/bin/sh
# Registers whose numbers are parameters: what is composed for many numbers is, byte for byte, what the assembler makes of the same
# instructions with the numbers written out.
# runs: slow, 10 s
set -eu
. "$KB_SRC/test/support/check.sh"
needs as objcopy
gives 0 yamba check "$KB_SRC/test/data/yamba/use/registers.yamba"

cat >driver.c <<'END'
int main(int argc, char **argv)
{
	struct y_args_f args = { 0 };
	struct kb_bits bits;

	for (int i = 1; i + 2 < argc; i += 3) {
		args.a = atoi(argv[i]), args.b = atoi(argv[i + 1]), args.c = atoi(argv[i + 2]);
		if (kb_program_bits(&y_program, &y_entry_f, &args, &bits))
			return 1;
		fwrite(bits.head.at, 1, bits.head.used, stdout);
		kb_bits_free(&bits);
	}
	return 0;
}
END

# written PLATFORM A B C: the asm of the class with these numbers.
written() {
	awk -v class="registers_$1" -v a="$2" -v b="$3" -v c="$4" '
	$0 ~ "^yamba " class " " { inside = 1 } inside && /^}/ { exit }
	inside && /asm/ { on = 1 }
	inside && on {
		line = $0
		ends = line ~ / }$/
		sub(/.*asm { /, "", line)
		sub(/ }$/, "", line)
		while (match(line, /\$\([^)]*\)/)) {
			split(substr(line, RSTART + 2, RLENGTH - 3), word, " ")
			value = word[1] == "4096" ? 4096 * a : word[1] == "a" ? a : word[1] == "b" ? b : c
			if (word[1] != "4096" && word[2] == "-") value -= word[3]
			if (word[1] != "4096" && word[2] == "+") value += word[3]
			line = substr(line, 1, RSTART - 1) value substr(line, RSTART + RLENGTH)
		}
		gsub(/@end/, ".Lend" a "_" b "_" c, line)
		print line
		if (ends) on = 0
	}' "$KB_SRC/test/data/yamba/use/registers.yamba"
}

tried=
for platform in x86_64 aarch64 riscv64; do
	prefix=
	[ $platform = "$arch" ] || prefix=$platform-linux-gnu-
	command -v ${prefix}as >/dev/null || continue
	case=$platform
	tried=1
	gives 0 yamba build "$KB_SRC/test/data/yamba/use/registers.yamba" --start registers_$platform --emit-c
	# The run time stands in it, too.
	{ cat registers_$platform.c; echo '#include <stdlib.h>'; cat driver.c; } >program.c
	# shellcheck disable=SC2086 # $cc may be words
	$cc -O1 -w program.c -o driver >err 2>&1 || fail "$(head -c 3000 err)"
	case $platform in
	x86_64) prelude='.intel_syntax noprefix' least=8 most=15 ;;
	aarch64) prelude='.arch armv8.5-a' least=0 most=30 ;;
	riscv64) prelude='.option norelax
.option norvc' least=0 most=31 ;;
	esac
	numbers=$(awk -v least=$least -v most=$most 'BEGIN {
		srand(7)
		print least, most, least; print most, least, most
		for (i = 0; i < 40; i++)
			print least + int(rand() * (most - least + 1)), least + int(rand() * (most - least + 1)), least + int(rand() * (most - least + 1)) }')
	# Where two must differ, for the processor: ldp.
	[ $platform != aarch64 ] || numbers=$(echo "$numbers" | awk '$1 != $2')
	{
		echo "$prelude"
		echo "$numbers" | while read -r a b c; do
			written $platform "$a" "$b" "$c"
		done
	} >written.s
	${prefix}as -o written.o written.s 2>err || fail "the assembler refuses: $(head -c 2000 err)"
	${prefix}objcopy -O binary -j .text written.o written.bin
	# shellcheck disable=SC2086
	./driver $numbers >composed.bin || fail "composing failed"
	cmp written.bin composed.bin || fail "composed code is another"
	[ "$(wc -c <composed.bin)" -gt 1000 ] || fail "only $(wc -c <composed.bin) bytes were compared"
done
[ -n "$tried" ] || skip "no assembler for any platform here"

# What cannot be chosen is told with what can.
cat >narrow.yamba <<'END'
yamba narrow {
	import(x86_64);
	bitstring<void c_function(void)> f(int a) { asm { paddd xmm$(a), xmm1; ret } }
	bitstring<void c_function(void)> g(int a) { asm { inc r$(a); ret } }
}
END
if [ "$arch" = x86_64 ]; then
	gives 0 yamba show narrow.yamba 'f(7)'
	gives 2 yamba show narrow.yamba 'f(8)'
	grep -q '^narrow.yamba:3: error Y301: register number 8 cannot be chosen here (0 to 7)' err || fail "f(8): $(cat err)"
	gives 2 yamba show narrow.yamba 'g(3)'
	grep -q '^narrow.yamba:4: error Y301: register number 3 cannot be chosen here (8 to 15)' err || fail "g(3): $(cat err)"
fi
