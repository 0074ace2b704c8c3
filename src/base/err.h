/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, passed up to cmd/, which prints it and chooses the exit status. Codes are the exit statuses. */
#ifndef TTMEM_BASE_ERR_H
#define TTMEM_BASE_ERR_H

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE = 2,
    ERR_INPUT = 3,  /* missing or unreadable */
    ERR_LACKS = 4,  /* readable, but without what is needed */
    ERR_OUTPUT = 5, /* could not be written */
    ERR_BUG = 70,
};

struct err {
    enum err_code code;
    char text[1024]; /* one sentence without capital or full stop that names the path */
};

/* Fills `err` (may be NULL) and returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errno after it. */
int err_set_errno(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
