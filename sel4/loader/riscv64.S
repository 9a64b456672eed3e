/*
 * Entry of the loader on riscv64, in S-mode behind the firmware, as an ELF file or behind the header of Linux's images (U-Boot's booti): hart in
 * a0, device tree in a1. The image goes to where it was linked.
 */
	.section .text.start, "ax"
	.globl _start
_start:
	.option	push
	.option	norvc
	j	begin
	nop
	.option	pop
	.quad	0x200000		/* from the start of memory on: behind the firmware */
	.quad	kb_image_bytes
	.quad	0
	.word	2, 0
	.quad	0
	.ascii	"RISCV\0\0\0"
	.ascii	"RSC\x05"
	.word	0

begin:
	csrw	sie, zero
	csrw	satp, zero
	lla	s1, _start
	ld	s2, linked
	ld	s3, file_bytes
	mv	s4, s2
	beq	s1, s2, there
	/* Upwards from the end, so that the source may overlap; downwards over itself it goes by a place behind it. */
	bltu	s1, s2, move
	add	t0, s2, s3
	bgeu	s1, t0, move
	add	s4, s1, s3
	li	t0, 4095
	add	s4, s4, t0
	not	t0, t0
	and	s4, s4, t0
move:
	mv	t2, s3
1:	addi	t2, t2, -8
	add	t0, s1, t2
	ld	t1, 0(t0)
	add	t0, s4, t2
	sd	t1, 0(t0)
	bnez	t2, 1b
	fence.i
	lla	t0, moved
	sub	t0, t0, s1
	mv	s1, s4
	add	t0, t0, s4
	jr	t0
moved:
	mv	s4, s2
	bne	s1, s2, move

there:
	lla	t0, kb_bss_start
	lla	t1, kb_bss_end
2:	bgeu	t0, t1, 3f
	sd	zero, 0(t0)
	addi	t0, t0, 8
	j	2b
3:	lla	sp, stack_top
	call	kb_load
4:	j	4b

	.balign	8
linked:
	.quad	kb_loader_start
file_bytes:
	.quad	kb_file_bytes

	.section .bss.stack, "aw", @nobits
	.balign	16
	.skip	8192
stack_top:

	.section .note.GNU-stack, "", @progbits
