/*
 * Entry of the loader on aarch64, at EL2 or EL1, as an ELF file or behind the header of Linux's images (U-Boot's booti, QEMU): the device tree is in
 * x0 or nowhere. Leaves caches and translation off and EL1 in force, and the image where it was linked. Data that an earlier program has left
 * in caches must neither hide what is in memory nor be written over it later: ranges are cleaned before they are read or written without
 * caches.
 */
#define EL2 (2 << 2)
#define SYSTEM_OFF 0x1005		/* bits of SCTLR: translation, data cache, instruction cache */

/* clean FROM, END: by lines of the smallest data cache; destroys x9, x10 and FROM. */
	.macro	clean from, end
	mrs	x9, ctr_el0
	ubfx	x9, x9, #16, #4
	mov	x10, #4
	lsl	x9, x10, x9
	sub	x10, x9, #1
	bic	\from, \from, x10
1:	dc	civac, \from
	add	\from, \from, x9
	cmp	\from, \end
	b.lo	1b
	dsb	sy
	.endm

	.section .text.start, "ax"
	.globl _start
_start:
	b	begin
	.word	0
	.quad	0			/* anywhere from the start of memory on */
	.quad	kb_image_bytes
	.quad	0xa			/* little endian, pages of 4 KiB, anywhere */
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	0

begin:
	msr	daifset, #15
	mov	x20, x0
	adr	x21, _start
	ldr	x22, =kb_loader_start
	ldr	x23, =kb_file_bytes
	mov	x0, x21
	add	x1, x21, x23
	clean	x0, x1
	mrs	x0, CurrentEL
	cmp	x0, #EL2
	b.ne	at_el1

	mrs	x0, sctlr_el2
	mov	x1, #SYSTEM_OFF
	bic	x0, x0, x1
	msr	sctlr_el2, x0
	isb
	mov	x0, #1 << 31		/* EL1 is of 64 bits; nothing of it is trapped */
	msr	hcr_el2, x0
	mov	x0, #0x33ff
	msr	cptr_el2, x0
	msr	hstr_el2, xzr
	mrs	x0, pmcr_el0		/* all counters are EL1's */
	ubfx	x0, x0, #11, #5
	msr	mdcr_el2, x0
	mov	x0, #3			/* so are the physical counter and timer */
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, xzr
	mrs	x0, midr_el1
	msr	vpidr_el2, x0
	mrs	x0, mpidr_el1
	msr	vmpidr_el2, x0
	mrs	x0, id_aa64pfr0_el1	/* an interrupt controller with system registers: EL1 may use them */
	ubfx	x0, x0, #24, #4
	cbz	x0, 2f
	mrs	x0, S3_4_C12_C9_5
	orr	x0, x0, #1
	orr	x0, x0, #8
	msr	S3_4_C12_C9_5, x0
	isb
2:	ldr	x0, =0x30d00800		/* what must be set in SCTLR_EL1, and nothing else */
	msr	sctlr_el1, x0
	mov	x0, #0x3c5		/* EL1 with its own stack, interrupts masked */
	msr	spsr_el2, x0
	adr	x0, at_el1
	msr	elr_el2, x0
	isb
	eret

at_el1:
	mrs	x0, sctlr_el1
	mov	x1, #SYSTEM_OFF
	bic	x0, x0, x1
	msr	sctlr_el1, x0
	isb

	/* To where it was linked. Upwards from the end, so that the source may overlap; downwards over itself it goes by a place behind it. */
	mov	x24, x22
	cmp	x21, x22
	b.eq	there
	b.lo	move
	add	x0, x22, x23
	cmp	x21, x0
	b.hs	move
	add	x24, x21, x23
	add	x24, x24, #4095
	bic	x24, x24, #4095
move:
	mov	x0, x24
	add	x1, x24, x23
	clean	x0, x1
	mov	x2, x23
3:	sub	x2, x2, #8
	ldr	x3, [x21, x2]
	str	x3, [x24, x2]
	cbnz	x2, 3b
	mov	x0, x24
	add	x1, x24, x23
	clean	x0, x1
	ic	iallu
	dsb	sy
	isb
	mov	x21, x24
	adr	x0, _start
	adr	x1, moved
	sub	x1, x1, x0
	add	x1, x24, x1
	br	x1
moved:
	mov	x24, x22
	cmp	x21, x22
	b.ne	move

there:
	ldr	x0, =kb_bss_start
	ldr	x1, =kb_bss_end
	mov	x2, x0
	clean	x2, x1
4:	cmp	x0, x1
	b.hs	5f
	str	xzr, [x0], #8
	b	4b
5:	ldr	x1, =stack_top
	mov	sp, x1
	mov	x0, xzr
	mov	x1, x20
	bl	kb_load
6:	b	6b
	.ltorg

	.section .bss.stack, "aw", @nobits
	.balign	16
	.skip	8192
stack_top:

	.section .note.GNU-stack, "", @progbits
