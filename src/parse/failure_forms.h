/* The wordings of the messages, one row each; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_FORMS_H
#define TTMEM_PARSE_FAILURE_FORMS_H

#include "parse/failure.h"

enum failure_step_kind { FAILURE_STEP_END, FAILURE_STEP_NUMBER, FAILURE_STEP_POOL, FAILURE_STEP_CORES };

/* One value of a message: it stands behind the words `before`, and `after` begins what follows it (NULL: anything). A step
 * whose words are missing is passed over: the message is cut, older or abridged. */
struct failure_step {
    enum failure_step_kind kind;
    enum failure_number number;
    const char *before; /* "": right behind the previous value */
    const char *after;
};

struct failure_form {
    enum failure_kind kind;
    const char *start;  /* the message begins with this */
    const char *needs;  /* and has this somewhere, NULL: nothing more */
    const char *unless; /* and not this */
    const char *rule;
    const struct failure_step *steps; /* up to a FAILURE_STEP_END; NULL: none */
    enum failure_pool pool;           /* where the message does not name it */
    bool limit_is_page;
    bool wants_pool; /* the start alone is common prose: the pool must be named, or an error around it */
};

/* Ends with a row whose start is NULL. Of two rows with the same start the first that fits counts. */
extern const struct failure_form failure_forms[];

#endif
