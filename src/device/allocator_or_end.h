/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator for the program, where running out of host memory does not return (base/mem.h): "full" then only ever means
 * that the device is. libttmem, which returns errors, uses device/allocator.h alone. */
#ifndef TTMEM_DEVICE_ALLOCATOR_OR_END_H
#define TTMEM_DEVICE_ALLOCATOR_OR_END_H

#include "base/mem.h"
#include "device/allocator.h"

static inline bool allocator_ok(enum allocator_result result) {
    if (result == ALLOCATOR_NO_MEMORY) mem_exhausted();
    return result == ALLOCATOR_OK;
}

#endif
