# SPDX-License-Identifier: Apache-2.0
# libttmem_run: runs as tables, for C, C++ and Python (include/ttmem/run.h). It shows the functions of that header and nothing else. What its
# objects allocate is routed to src/api/heap.c, so that a call that runs out of memory leaves nothing behind; allocations of others are not.
file(GLOB api_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/api/*.c)
add_library(ttmem_run_shared SHARED ${api_sources})
set_target_properties(ttmem_run_shared PROPERTIES OUTPUT_NAME ttmem_run VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  C_VISIBILITY_PRESET hidden)
target_include_directories(ttmem_run_shared PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(ttmem_run_shared PRIVATE ttmem_core)
set(TTMEM_HEAP_OPTIONS -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
target_link_options(ttmem_run_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed ${TTMEM_HEAP_OPTIONS})
