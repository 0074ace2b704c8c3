/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the terminal back when a signal, a crash or a lack of memory ends the program: curses may not be called then, so that
 * what it would send is kept ready. */
#ifndef TTMEM_TUI_RESTORE_H
#define TTMEM_TUI_RESTORE_H

#include <stdbool.h>

/* Remembers the modes of the terminal on stdin; false when there is none. */
bool restore_save(void);

/* From here on a signal restores the terminal before it ends the program. Curses has been started. */
void restore_arm(void);

/* The terminal is back already: signals end the program as they do elsewhere. */
void restore_disarm(void);

#endif
