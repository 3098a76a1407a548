/* The built-in profiles' text, as it lies in data/devices. */
        .section .rodata, "a"
        .globl gp_profile_text_h200
        .type gp_profile_text_h200, @object
gp_profile_text_h200:
        .incbin "devices/h200.profile"
        .byte 0
        .size gp_profile_text_h200, . - gp_profile_text_h200

        .globl gp_profile_text_generic
        .type gp_profile_text_generic, @object
gp_profile_text_generic:
        .incbin "devices/generic.profile"
        .byte 0
        .size gp_profile_text_generic, . - gp_profile_text_generic

        .section .note.GNU-stack, "", @progbits
