/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled without exceptions: simdjson then reports everything, also a lack of memory, by error code. */
#include "base/json_read.h"

#include <pthread.h>
#include <simdjson.h>

#include <atomic>
#include <cstring>
#include <new>
#include <type_traits>

using simdjson::dom::element;
using simdjson::dom::element_type;

struct json_reader {
    simdjson::dom::parser parser;
    simdjson::error_code error = simdjson::SUCCESS;
    void *owner = nullptr;
    json_reader *before = nullptr, *after = nullptr; /* of those that have owners */
};

/* Calls functions of C: clang's check of their types would need its C++ runtime in every program that uses libttmem. */
#if defined(__clang__)
#define CALLS_C __attribute__((no_sanitize("function")))
#else
#define CALLS_C
#endif

namespace {

struct {
    std::atomic<void *(*)(void)> owner;
    std::atomic<void (*)(void)> end;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    json_reader *first; /* with an owner; guarded by the lock */
} readers;

void note_owner(json_reader *reader, void *owner) {
    if (!owner) return;
    pthread_mutex_lock(&readers.lock);
    reader->owner = owner;
    reader->after = readers.first;
    if (readers.first) readers.first->before = reader;
    readers.first = reader;
    pthread_mutex_unlock(&readers.lock);
}

void forget(json_reader *reader) {
    if (reader->before) reader->before->after = reader->after;
    else readers.first = reader->after;
    if (reader->after) reader->after->before = reader->before;
}

CALLS_C void end_without_memory() {
    if (auto end = readers.end.load()) end();
}

CALLS_C void *owner_here() {
    auto owner = readers.owner.load();
    return owner ? owner() : nullptr;
}

/* simdjson's elements and iterators are a document pointer and an index; C holds them by value. */
template <typename T>
json_value pack(const T &from) {
    static_assert(sizeof(T) == sizeof(json_value) && std::is_trivially_copyable<T>::value, "held by value in C");
    json_value to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

template <typename T>
T unpack(const json_value &from) {
    T to{};
    std::memcpy(static_cast<void *>(&to), &from, sizeof to);
    return to;
}

slice slice_of_view(std::string_view text) { return slice{text.data(), text.size()}; }

template <typename Iterator>
bool step(json_walk *walk, Iterator &here) {
    here = unpack<Iterator>(walk->here);
    return here != unpack<Iterator>(walk->end);
}

}  // namespace

extern "C" {

void json_at_exhaustion(void (*end)(void)) {
    readers.end = end;
    std::set_new_handler(end);
}

void json_in_library(void (*jump)(void), void *(*owner)(void)) {
    readers.end = jump;
    readers.owner = owner;
}

void json_prepare(void) { (void)simdjson::get_active_implementation()->name(); }

void json_readers_free_of(void *owner) {
    pthread_mutex_lock(&readers.lock);
    for (json_reader *reader = readers.first, *next; reader; reader = next) {
        next = reader->after;
        if (reader->owner != owner) continue;
        forget(reader);
        delete reader;
    }
    pthread_mutex_unlock(&readers.lock);
}

json_reader *json_reader_new(void) {
    json_reader *reader = new (std::nothrow) json_reader;
    if (reader) note_owner(reader, owner_here());
    else end_without_memory();
    return reader;
}

void json_reader_free(json_reader *reader) {
    if (reader && reader->owner) {
        pthread_mutex_lock(&readers.lock);
        forget(reader);
        pthread_mutex_unlock(&readers.lock);
    }
    delete reader;
}

bool json_parse(json_reader *reader, slice text, json_value *root) {
    element found;
    reader->error = reader->parser.parse(text.ptr, text.len, true).get(found);
    if (reader->error == simdjson::MEMALLOC) {
        reader->parser = simdjson::dom::parser(); /* it is half made, and the next text would end the process */
        end_without_memory();
    }
    if (reader->error) return false;
    *root = pack(found);
    return true;
}

const char *json_error(const json_reader *reader) { return simdjson::error_message(reader->error); }

bool json_lacks_memory(const json_reader *reader) { return reader && reader->error == simdjson::MEMALLOC; }

json_kind json_kind_of(json_value value) {
    switch (unpack<element>(value).type()) {
        case element_type::ARRAY:
            return JSON_ARRAY;
        case element_type::OBJECT:
            return JSON_OBJECT;
        case element_type::INT64:
        case element_type::UINT64:
            return JSON_INT;
        case element_type::DOUBLE:
            return JSON_REAL;
        case element_type::STRING:
            return JSON_STRING;
        case element_type::BOOL:
            return JSON_BOOL;
        case element_type::NULL_VALUE:
            break;
    }
    return JSON_NULL;
}

bool json_string_of(json_value value, slice *out) {
    std::string_view text;
    if (unpack<element>(value).get(text)) return false;
    *out = slice_of_view(text);
    return true;
}

bool json_bool_of(json_value value, bool *out) {
    bool found;
    if (unpack<element>(value).get(found)) return false;
    *out = found;
    return true;
}

bool json_i64_of(json_value value, int64_t *out) {
    int64_t found;
    if (unpack<element>(value).get(found)) return false;
    *out = found;
    return true;
}

bool json_u64_of(json_value value, uint64_t *out) {
    uint64_t found;
    if (unpack<element>(value).get(found)) return false;
    *out = found;
    return true;
}

bool json_milli_of(json_value value, int64_t *out) {
    double found;
    if (unpack<element>(value).get(found)) return false;
    double scaled = found * 1000.0;
    if (!(scaled > -9.0e18 && scaled < 9.0e18)) return false;
    *out = static_cast<int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
    return true;
}

bool json_member(json_value object, const char *name, json_value *out) {
    element found;
    if (json_kind_of(object) != JSON_OBJECT || unpack<element>(object).at_key(name).get(found)) return false;
    *out = pack(found);
    return true;
}

json_walk json_walk_of(json_value container) {
    json_walk walk{container, container, json_kind_of(container)};
    element value = unpack<element>(container);
    simdjson::dom::array array;
    simdjson::dom::object object;
    if (!value.get(array)) {
        walk.here = pack(array.begin());
        walk.end = pack(array.end());
    } else if (!value.get(object)) {
        walk.here = pack(object.begin());
        walk.end = pack(object.end());
    }
    return walk;
}

bool json_next(json_walk *walk, slice *name, json_value *item) {
    if (walk->kind == JSON_ARRAY) {
        simdjson::dom::array::iterator here;
        if (!step(walk, here)) return false;
        if (name) *name = slice{"", 0}; /* items of a list have none */
        *item = pack(*here);
        walk->here = pack(++here);
        return true;
    }
    if (walk->kind != JSON_OBJECT) return false;
    simdjson::dom::object::iterator here;
    if (!step(walk, here)) return false;
    if (name) *name = slice_of_view(here.key());
    *item = pack(here.value());
    walk->here = pack(++here);
    return true;
}

}  // extern "C"
