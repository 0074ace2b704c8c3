/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal program that ttmem without a word starts. */
#ifndef TTMEM_TUI_INTERACTIVE_H
#define TTMEM_TUI_INTERACTIVE_H

/* Runs until the user leaves; returns the exit status. */
int interactive_run(void);

#endif
