/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a signal to this process was sent to its whole group: a Ctrl+C in the terminal and `kill -- -GROUP` reach
 * the child directly and must not reach it twice (a second KeyboardInterrupt would interrupt Python's cleanup), but a signal
 * to this process alone must be passed on. The kernel's information about a signal does not distinguish the two. A second
 * process of the same group that blocks everything does: it has received the signal too, or it has not. It holds no file and
 * ends with its owner. */
#ifndef TTMEM_CAPTURE_WITNESS_H
#define TTMEM_CAPTURE_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int fd; /* -1: none */
};

/* If resources are lacking there is no witness, and every signal counts as sent to this process alone. */
void witness_start(struct witness *witness);
void witness_stop(struct witness *witness);

/* Call once for each signal received. May take some hundredths of a second. */
bool witness_saw(struct witness *witness, int number);

#endif
