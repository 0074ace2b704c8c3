#include "work/version.h"

const char *version_number(void) { return TTMEM_VERSION; }
