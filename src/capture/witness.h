/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a signal that came to this process came to its whole group: a Ctrl+C of the terminal and `kill -- -GROUP` reach
 * the child directly and must not reach it twice (a second KeyboardInterrupt would break off Python's cleaning up), a signal
 * for this process alone has to be passed on. What the kernel says about a signal does not tell the two apart. A second process
 * of the same group that blocks everything does: it has got the signal too, or it has not. It holds no file and ends with its
 * owner. */
#ifndef TTMEM_CAPTURE_WITNESS_H
#define TTMEM_CAPTURE_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int fd; /* -1: there is none */
};

/* Without resources for it there is no witness, and every signal counts as sent to this process alone. */
void witness_start(struct witness *witness);
void witness_stop(struct witness *witness);

/* Call once for each signal taken. May take some hundredths of a second. */
bool witness_saw(struct witness *witness, int number);

#endif
