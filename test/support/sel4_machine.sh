# shellcheck shell=sh
# A riscv64 machine without seL4 and without QEMU: sel4_machine puts a compiler and an emulator into $PWD/tools. What the compiler links is the
# room for the plan and the kernel's file; what the emulator boots is the root server on its host double (test/sel4/double). kernel NAME WORD...
# makes an installed kernel whose file has these words:
#   signal=N   a signal takes N instructions more
#   drifts     and another one at each boot
#   slow=N     the host takes N seconds for a boot
#   hangs      nothing comes, and the guest goes on
#   plain      it counts no entries; made by sel4_machine plain only
# shellcheck disable=SC2154 # $KB_SRC

sel4_machine() {
	sh "$KB_SRC/test/sel4/double/build" "$PWD/double" "$PWD/double-objects" -DKB_DOUBLE_OWN_POINTERS || return 1
	[ "${1:-}" != plain ] ||
		sh "$KB_SRC/test/sel4/double/build" "$PWD/double-plain" "$PWD/plain-objects" -DKB_DOUBLE_OWN_POINTERS -DKB_DOUBLE_PLAIN || return 1
	mkdir -p tools
	cat >tools/riscv64-linux-gnu-gcc <<'END'
#!/bin/sh
case " $*" in *' --version'*) echo gcc of the test 1.0 && exit ;; esac
while [ "$1" != -o ]; do shift; done
case $2 in
*.full) python3 -c 'import struct, sys
sys.stdout.buffer.write(b"kbench:boot:text" + struct.pack("<II", int(sys.argv[1]), 32768) + bytes(32768) + b"KERNEL ")' "$BOOT_VERSION" >"$2" ;;
*) : >"$2" ;;
esac
kernel=$(dirname "$2")/kernel.elf
[ "${2##*/}" != kb_image.full ] || cat "$kernel" >>"$2"
END
	cat >tools/riscv64-linux-gnu-objcopy <<'END'
#!/bin/sh
while [ $# -gt 2 ]; do shift; done
cp "$1" "$2"
END
	cat >tools/qemu-system-riscv64 <<'END'
#!/usr/bin/env python3
import json, os, subprocess, sys, threading, time
if "--version" in sys.argv:
    print("QEMU emulator of the test 1.0")
    sys.exit()
image = open("boot.elf", "rb").read()
at = image.index(b"kbench:boot:text") + 24
lines = image[at:image.index(b"\0", at)]
words = dict((word.split("=") + [""])[:2] for word in image[image.index(b"KERNEL ") + 7:].decode().split())
home = os.environ["SEL4_MACHINE"]
def instructions(count):
    with os.fdopen(3, "r+b", buffering=0) as monitor:
        while True:
            asked = json.loads(monitor.readline() or b"{}")
            if not asked:
                return
            said = {} if asked["execute"] == "qmp_capabilities" else "000000000200bff8: 0x%08x\r\n" % (count // 100)
            monitor.write(json.dumps({"return": said}).encode() + b"\r\n")
if "hangs" in words:
    print("Booting all finished, dropped to user space", flush=True)
    instructions(10 ** 11)
    sys.exit()
if "slow" in words:
    threading.Thread(target=instructions, args=(10 ** 6,), daemon=True).start()
    time.sleep(float(words["slow"]))
more = int(words.get("signal", 0))
if "drifts" in words:
    count = os.path.join(home, "boots")
    more += os.path.getsize(count) if os.path.exists(count) else 0
    open(count, "a").write(".")
open("lines", "wb").write(lines)
code = subprocess.run([home + ("/double-plain" if "plain" in words else "/double"), "lines"], env=dict(os.environ, KB_DOUBLE_SIGNAL=str(more))).returncode
os.remove("lines")
sys.exit(code)
END
	chmod +x tools/*
	BOOT_VERSION=$(sed -n 's/^#define KB_BOOT_VERSION \([0-9]*\)u.*/\1/p' "$KB_SRC/src/base/boot_text.h")
	PATH=$PWD/tools:$PATH SEL4_MACHINE=$PWD
	export PATH SEL4_MACHINE BOOT_VERSION
}

# kernel NAME WORD...
kernel() {
	kernel_name=$1
	shift
	mkdir -p "$kernel_name/bin" "$kernel_name/libsel4/include/kernel" "$kernel_name/libsel4/include/sel4"
	echo "$*" >"$kernel_name/bin/kernel.elf"
	echo '{ "SEL4_ARCH": "riscv64" }' >"$kernel_name/libsel4/include/kernel/gen_config.json"
	touch "$kernel_name/libsel4/include/sel4/sel4.h"
}
