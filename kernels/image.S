/*
 * struct gp_image gp_kernels_image (core/kernel.h; table.c checks the layout): the PTX kept in the
 * repository and, in builds with nvcc, the machine code. CMake gives both paths; GP_FATBIN is an
 * empty file in builds without nvcc, GP_FATBIN_ADDRESS then 0.
 */
    .section .rodata.gp_kernels, "a"
name:
    .string "kernels"
    .balign 16
fatbin:
    .incbin GP_FATBIN
fatbin_end:
    .balign 16
ptx:
    .incbin GP_PTX
    .byte 0
ptx_end:

    .section .data.rel.ro.gp_kernels, "aw"
    .balign 8
    .global gp_kernels_image
    .type gp_kernels_image, %object
    .size gp_kernels_image, 40
gp_kernels_image:
    .quad name
    .quad GP_FATBIN_ADDRESS
    .quad fatbin_end - fatbin
    .quad ptx
    .quad ptx_end - ptx

    .section .note.GNU-stack, "", %progbits
