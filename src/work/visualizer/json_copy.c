/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/json_copy.h"

void json_copy(struct json *j, struct json_value value) {
    struct slice text;
    struct json_value item;
    bool flag;
    int64_t number;
    uint64_t large;
    switch (json_kind_of(value)) {
        case JSON_STRING:
            json_string_of(value, &text);
            json_str(j, text);
            return;
        case JSON_BOOL:
            json_bool_of(value, &flag);
            json_bool(j, flag);
            return;
        case JSON_INT:
            if (json_i64_of(value, &number)) json_i64(j, number);
            else if (json_u64_of(value, &large)) json_u64(j, large);
            return;
        case JSON_REAL:
            if (json_milli_of(value, &number)) json_milli(j, number);
            else json_null(j);
            return;
        case JSON_ARRAY:
            json_array(j);
            for (struct json_walk walk = json_walk_of(value); json_next(&walk, NULL, &item);) json_copy(j, item);
            json_array_end(j);
            return;
        case JSON_OBJECT:
            json_object(j);
            for (struct json_walk walk = json_walk_of(value); json_next(&walk, &text, &item);) {
                json_key_slice(j, text);
                json_copy(j, item);
            }
            json_object_end(j);
            return;
        case JSON_NULL:
            json_null(j);
            return;
    }
}
