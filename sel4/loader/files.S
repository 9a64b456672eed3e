/* The files inside a loader image; the build names them. Without a device tree of the kernel's that file is empty. */
	.section .rodata.files, "a"
	.balign	4096
	.globl	kb_kernel_file
kb_kernel_file:
	.incbin	KB_KERNEL_FILE
	.balign	4096
	.globl	kb_root_file
kb_root_file:
	.incbin	KB_ROOT_FILE
	.balign	4096
	.globl	kb_tree_file
kb_tree_file:
	.incbin	KB_TREE_FILE
	.quad	0

	.section .note.GNU-stack, "", %progbits
