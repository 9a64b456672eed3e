/*
 * Which hypervisor, if any. Three witnesses in order of trust: the processor, the kernel (/sys/hypervisor), the
 * firmware (DMI, device tree). Without any witness the answer is "unknown": a claim of bare metal would be a guess.
 */
#include "env/source.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct alias { const char *told, *name; };

/* CPUID leaf 0x40000000, from the vendors' manuals and the kernel's detection code in arch/x86. */
static const struct alias signatures[] = {
	{ "KVMKVMKVM", "kvm" }, { "Linux KVM Hv", "kvm" }, { "Microsoft Hv", "hyperv" }, { "VMwareVMware", "vmware" },
	{ "XenVMMXenVMM", "xen" }, { "TCGTCGTCGTCG", "qemu-tcg" }, { "VBoxVBoxVBox", "virtualbox" },
	{ "bhyve bhyve ", "bhyve" }, { " lrpepyh  vr", "parallels" }, { "prl hyperv  ", "parallels" },
	{ "ACRNACRNACRN", "acrn" }, { "Jailhouse", "jailhouse" },
};

/* What virtual machines write where a maker writes its name. "Amazon EC2" is not here: its bare metal says the same. */
static const struct alias boards[] = {
	{ "QEMU", "qemu" }, { "KVM", "kvm" }, { "Google Compute Engine", "kvm" }, { "OpenStack", "kvm" },
	{ "DigitalOcean", "kvm" }, { "VMW", "vmware" }, { "VirtualBox", "virtualbox" },
	{ "innotek", "virtualbox" }, { "Xen", "xen" }, { "Bochs", "bochs" }, { "Parallels", "parallels" },
	{ "BHYVE", "bhyve" }, { "Virtual Machine", "hyperv" }, { "linux,dummy-virt", "qemu" },
	{ "riscv-virtio", "qemu" }, { "Apple Virtualization", "apple" },
};

static const char *const firmware[] = {
	"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
	"/proc/device-tree/model", "/proc/device-tree/compatible",
};

static void name_signature(const char *signature, char *name, size_t room)
{
	snprintf(name, room, "%s", signature[0] ? signature : "unnamed");
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		if (!strcmp(signature, signatures[i].told))
			snprintf(name, room, "%s", signatures[i].name);
	}
}

static const char *board_name(const char *told)
{
	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++) {
		if (!strncasecmp(told, boards[i].told, strlen(boards[i].told)))
			return boards[i].name;
	}
	return NULL;
}

/* Asks the firmware's tables; *read tells whether there were any. */
static const char *ask_firmware(const struct kb_fact_source *source, bool *read)
{
	char line[KB_SOURCE_LINE];

	*read = false;
	for (size_t i = 0; i < sizeof(firmware) / sizeof(firmware[0]); i++) {
		if (!kb_source_line(source, firmware[i], line, sizeof(line)) || !line[0])
			continue;
		*read = true;
		if (board_name(line))
			return board_name(line);
	}
	return NULL;
}

void kb_hypervisor_name(const struct kb_fact_source *source, const struct kb_answers *answers, char *name, size_t room)
{
	bool read;

	if (answers->hypervisor == KB_ANSWER_YES) {
		name_signature(answers->signature, name, room);
		return;
	}
	if (kb_source_line(source, "/sys/hypervisor/type", name, room) && name[0])
		return;
	const char *board = ask_firmware(source, &read);

	if (board)
		snprintf(name, room, "%s", board);
	else
		snprintf(name, room, "%s", read || answers->hypervisor == KB_ANSWER_NO ? "none" : "unknown");
}
