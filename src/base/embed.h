/* SPDX-License-Identifier: Apache-2.0 */
/* A file as bytes in the program: EMBED(name, "path") declares name_begin and name_end. List the file in OBJECT_DEPENDS
 * (CMakeLists.txt). */
#ifndef TTMEM_BASE_EMBED_H
#define TTMEM_BASE_EMBED_H

#define EMBED(name, path)              \
    __asm__(                           \
        ".section .rodata\n"           \
        ".balign 16\n" #name           \
        "_begin:\n"                    \
        ".incbin \"" path "\"\n" #name \
        "_end:\n"                      \
        ".byte 0\n"                    \
        ".global " #name               \
        "_begin\n"                     \
        ".global " #name               \
        "_end\n"                       \
        ".hidden " #name               \
        "_begin\n"                     \
        ".hidden " #name               \
        "_end\n"                       \
        ".text\n");                    \
    extern const char name##_begin[], name##_end[]

#endif
