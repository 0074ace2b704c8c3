/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal program that ttmem starts if it is given no words. */
#ifndef TTMEM_TUI_INTERACTIVE_H
#define TTMEM_TUI_INTERACTIVE_H

/* Runs until the user leaves; returns the exit status. */
int interactive_run(void);

#endif
