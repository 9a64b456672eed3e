/* See emulated.h. The kernel's clock is made of the processor's counter: what that counts, its nanoseconds are. */
#include "cli/emulated.h"

#include <stdio.h>

#include "cli/print.h"
#include "measure/emulation.h"
#include "run/calibrate.h"

void kb_warn_emulated(const struct kb_command *command)
{
	static bool said;
	bool one_by_one;

	if (said)
		return;
	said = true;
	switch (kb_machine_counts(&one_by_one)) {
	case KB_COUNTS_INSTRUCTIONS:
		kb_complain(command, "an emulator's clock counts instructions here: %s", one_by_one ? "a ns that is printed is an instruction" :
			    "what is printed as time is a number of instructions");
		return;
	case KB_COUNTS_EMULATION:
		kb_complain(command, "an emulator runs this machine: what is printed as time measures the emulator");
		return;
	case KB_COUNTS_TIME: return;
	}
}

void kb_put_kernel_clock(struct kb_record_writer *writer, double cost)
{
	bool one_by_one;
	enum kb_clock_counts counts = kb_machine_counts(&one_by_one);
	char line[96];

	snprintf(line, sizeof line, "%s hz=%d quantum=1 cost=%.0f ordered=1",
		 counts == KB_COUNTS_INSTRUCTIONS && one_by_one ? KB_CLOCK_ICOUNT : "ns", counts == KB_COUNTS_TIME ? 1000000000 : 0, cost);
	kb_record_line(writer, "clock", line);
	if (counts == KB_COUNTS_EMULATION)
		kb_record_line(writer, "note", "emulated_clock \"an emulator runs this machine\"");
}
