# holes_x86_64.all(70001, 2) written out: the answer of GNU as to what composing must give.
	.intel_syntax noprefix
.macro body n
	add bl, \n & 63
	mov bx, \n & 0x7fff
	mov ebx, \n
	add rbx, \n
	mov rbx, [rbx + 8 * \n]
	mov rbx, [rbx + 4 - \n]
	movabs rbx, \n << 32
	.byte -(\n & 63)
	.quad -\n
	.p2align 3
	.long -\n
.endm
top:	nop
	body 70001
	body 70002
close:	loop close
	{disp32} jnz top
	call top
	lea rax, [rip + end]
	{disp32} jmp end
	nop
end:	ret
last:
