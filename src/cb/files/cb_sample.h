/* SPDX-License-Identifier: Apache-2.0 */
/* A short tt-metal log in the forms that `ttmem cb log` reads; shown if no log is given. */
#ifndef TTMEM_CB_SAMPLE_H
#define TTMEM_CB_SAMPLE_H

extern const char cb_sample_log[];

#endif
