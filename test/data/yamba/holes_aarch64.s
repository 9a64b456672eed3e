// holes_aarch64.all(70001, 2) written out: the answer of GNU as to what composing must give.
.macro body n
	add x1, x2, #(\n & 0xfff)
	ldrb w1, [x2, #(\n & 0xfff)]
	ldrh w1, [x2, #(2 * (\n & 0xfff))]
	ldr w1, [x2, #(4 * (\n & 0xfff))]
	ldr x1, [x2, #(8 * (\n & 0xfff))]
	ldr q1, [x2, #(16 * (\n & 0xfff))]
	movz x1, #(\n & 0xffff)
	movz x1, #(\n >> 16), lsl 16
	movk x1, #(\n & 0xffff)
	movk x1, #(\n << 8 >> 16 & 0xffff), lsl 16
	movk x1, #(\n << 24 >> 32 & 0xffff), lsl 32
	movk x1, #(\n << 40 >> 48 & 0xffff), lsl 48
	movn x1, #((\n & 0xffff) - 1)
	movn x1, #((\n - 1) >> 16), lsl 16
	movz x1, #(\n << 16 >> 32), lsl 32
	.hword -(\n & 0xfff), \n & 0xffff
	.word -\n
	.xword \n << 32
	.p2align 4
	.word -\n
.endm
top:	nop
	body 70001
	body 70002
	b.ne top
	cbz x1, top
	tbnz x1, #3, top
	bl top
	adr x1, end
	ldr x1, end
	b end
	nop
end:	ret
last:
