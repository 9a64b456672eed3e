# shellcheck shell=sh
# kernel_device: device.so, a stand-in for /dev/kbench with the framework's own engine (integration/preload/device.c). Needs check.sh.
kernel_device() {
	src=$KB_SRC/src
	set --
	for name in measure/block measure/part measure/clock arch/chain_common "arch/$arch/chain" base/crc32 base/record_write \
		base/plan base/span base/text base/units; do
		set -- "$@" "$src/$name.c"
	done
	# shellcheck disable=SC2086 # $cc may be two words
	$cc -O2 -Wall -Wextra -Werror -std=gnu11 -shared -fPIC -I"$KB_SRC/include" -I"$src" -I"$src/os/linux" -I"$src/arch/$arch" \
		"$KB_SRC/test/integration/preload/device.c" "$@" -o device.so -ldl || exit 1
}
