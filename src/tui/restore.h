/* SPDX-License-Identifier: Apache-2.0 */
/* Restores the terminal when a signal, a crash or a lack of memory ends the program: curses must not be called then, so what
 * it would send is kept ready. */
#ifndef TTMEM_TUI_RESTORE_H
#define TTMEM_TUI_RESTORE_H

#include <stdbool.h>

/* Remembers the modes of the terminal on stdin; false if there is none. */
bool restore_save(void);

/* From here on a signal restores the terminal before it ends the program. Curses must have been started. */
void restore_arm(void);

/* The terminal is already restored: signals end the program as usual. */
void restore_disarm(void);

#endif
