/* SPDX-License-Identifier: Apache-2.0 */
// The little that the C++ tests need; output in the form of the other unit tests.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

struct Test {
    const char *name;
    void (*run)();
};

inline bool &test_failed() {
    static bool failed = false;
    return failed;
}

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            test_failed() = true;                                                     \
        }                                                                             \
    } while (0)

#define CHECK_EQUAL(actual, expected)                                                                                     \
    do {                                                                                                                  \
        auto actual_value = (actual);                                                                                     \
        auto expected_value = (expected);                                                                                 \
        if (!(actual_value == static_cast<decltype(actual_value)>(expected_value))) {                                     \
            std::cout << __FILE__ << ":" << __LINE__ << ": " #actual " is " << actual_value << ", not " << expected_value \
                      << std::endl;                                                                                       \
            test_failed() = true;                                                                                         \
        }                                                                                                                 \
    } while (0)

inline int run_tests(const std::vector<Test> &tests) {
    int failures = 0;
    for (const Test &test : tests) {
        test_failed() = false;
        test.run();
        std::printf("[  %s ] %s\n", test_failed() ? "FAILED" : "     OK", test.name);
        failures += test_failed();
    }
    return failures;
}
