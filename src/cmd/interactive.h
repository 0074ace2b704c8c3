/* ttmem without a command, on a terminal. */
#ifndef TTMEM_CMD_INTERACTIVE_H
#define TTMEM_CMD_INTERACTIVE_H

/* Returns the exit status. */
int interactive(void);

#endif
