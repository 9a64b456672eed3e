/* The two files inside a loader image; the build names them. */
	.section .rodata.files, "a"
	.balign	4096
	.globl	kb_kernel_file
kb_kernel_file:
	.incbin	KB_KERNEL_FILE
	.balign	4096
	.globl	kb_root_file
kb_root_file:
	.incbin	KB_ROOT_FILE

	.section .note.GNU-stack, "", %progbits
