/* SPDX-License-Identifier: Apache-2.0 */
/* Lines with which the driver, tt-metal and TT-XLA open and close a device. */
#ifndef TTMEM_PARSE_DEVICE_LINE_H
#define TTMEM_PARSE_DEVICE_LINE_H

#include "base/slice.h"

enum device_line {
    DEVICE_NONE,
    DEVICE_OPENS,   /* a process opens its device */
    DEVICE_REOPENS, /* a process closes its device and opens it again, maybe with another shape */
    DEVICE_CLOSES,
};

/* What the message of a logger's line says. */
enum device_line device_message(struct slice message);

/* The same of a whole line, whatever stands before the message. */
enum device_line device_line(struct slice line);

#endif
