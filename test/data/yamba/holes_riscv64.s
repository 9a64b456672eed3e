# holes_riscv64.all(70001, 2) written out: the answer of GNU as to what composing must give.
	.option norvc
	.option norelax
.macro body n
	lui t1, %hi(\n)
	ld t2, %lo(\n)(t1)
	sd t2, %lo(\n)(t1)
	addi t2, t2, -(\n & 0x7ff)
	.word -\n
	.dword \n << 32
	.p2align 4
	.word -\n
.endm
top:	nop
	body 70001
	body 70002
	beq t1, t2, 1f                  # an undefined label may lie far, so bne becomes two
	j top
1:	jal top
	j end
	nop
end:	ret
last:
