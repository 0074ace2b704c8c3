/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for agents that are part of the program: the guide and the skill. */
#ifndef TTMEM_CMD_MCP_DOCUMENTS_H
#define TTMEM_CMD_MCP_DOCUMENTS_H

#include "base/slice.h"

struct slice document_agents(void);

/* A file of the skill: its path below the folder of skills, and its text. False: no more. */
bool document_of_skill(size_t n, const char **path, struct slice *text);

#endif
