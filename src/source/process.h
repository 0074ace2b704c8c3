/* SPDX-License-Identifier: Apache-2.0 */
/* What the system knows about a process, given its number and the name that it had. */
#ifndef TTMEM_SOURCE_PROCESS_H
#define TTMEM_SOURCE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

enum process_state {
    PROCESS_ALIVE,
    PROCESS_DEAD,
    PROCESS_REPLACED,    /* the number belongs to a process that began later */
    PROCESS_NOT_VISIBLE, /* no such process here, but it wrote a moment ago: another pid namespace */
};

/* `name` as it was in /proc/<pid>/comm; `updated_ns` when it last wrote, `now_ns` the clock, since 1970. */
enum process_state process_look(int pid, struct slice name, uint64_t updated_ns, uint64_t now_ns);

/* The command line, with blanks between the words; nothing if it cannot be read. */
void process_command(int pid, struct strbuf *out);

/* Resident memory; 0 if it cannot be read. */
uint64_t process_rss(int pid);

/* Contents of /proc/<pid>/stat. Number and start together identify a process, because numbers are reused. */
struct process_stat {
    int parent;
    uint64_t start_ticks; /* since boot */
};

/* The first bytes of a file of a process, or (`pid` 0) of the folder itself; `proc` is the folder to look in, "/proc".
 * Returns their number, 0 if it cannot be read. */
size_t process_read(const char *proc, int pid, const char *what, char *out, size_t room);
/* The same for the current content of a file that is kept open. Files about the process (stat, statm, status) can be kept
 * open, those about its memory (smaps, environ) cannot: after an exec they still show the memory before it. */
size_t process_read_again(int fd, char *out, size_t room);
/* Opens such a file; -1 if it cannot be opened. */
int process_open(const char *proc, int pid, const char *what);
bool process_stat_read(const char *proc, int pid, struct process_stat *out);

/* Bytes of a line like "VmHWM:\t    1624 kB" of the text. */
bool process_field_kb(struct slice text, const char *name, uint64_t *bytes);

#endif
