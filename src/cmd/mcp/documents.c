/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/documents.h"

#include "base/embed.h"

/* TTMEM_TOP is the folder of the project (CMakeLists.txt). */
#define SKILL "tenstorrent-memory/"
EMBED(ttmem_agents_md, TTMEM_TOP "/docs/agents.md");
EMBED(ttmem_skill_md, TTMEM_TOP "/skills/" SKILL "SKILL.md");
EMBED(ttmem_skill_failures_md, TTMEM_TOP "/skills/" SKILL "references/failures.md");
EMBED(ttmem_skill_commands_md, TTMEM_TOP "/skills/" SKILL "references/commands.md");

static const struct {
    const char *path, *begin, *end;
} skill[] = {
    {SKILL "SKILL.md", ttmem_skill_md_begin, ttmem_skill_md_end},
    {SKILL "references/failures.md", ttmem_skill_failures_md_begin, ttmem_skill_failures_md_end},
    {SKILL "references/commands.md", ttmem_skill_commands_md_begin, ttmem_skill_commands_md_end},
};

struct slice document_agents(void) {
    return slice_between(ttmem_agents_md_begin, ttmem_agents_md_end);
}

bool document_of_skill(size_t n, const char **path, struct slice *text) {
    if (n >= sizeof skill / sizeof *skill) return false;
    *path = skill[n].path;
    *text = slice_between(skill[n].begin, skill[n].end);
    return true;
}
