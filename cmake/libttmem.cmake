# SPDX-License-Identifier: Apache-2.0
# libttmem, shared and static. Both show the functions of include/ttmem/ttmem.h and nothing else: the static one is linked into
# a single object whose other symbols are made local, so that it cannot collide with its host.
file(GLOB track_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/track/*.c ${CMAKE_SOURCE_DIR}/src/usage/*.c)
foreach(name base/amounts base/table/hash base/table/hash_avx2 base/table/idmap base/json_write base/mem base/num base/slice base/strbuf base/utf8 device/allocator
    device/chip device/core_range device/program_layout device/simulate parse/foreign/graph parse/foreign/graph_scan)
  list(APPEND track_sources ${CMAKE_SOURCE_DIR}/src/${name}.c)
endforeach()

add_library(ttmem_track_objects OBJECT ${track_sources} ${TTMEM_JSON_READ})
target_include_directories(ttmem_track_objects PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(ttmem_track_objects PRIVATE TTMEM_VERSION="${PROJECT_VERSION}")
set_target_properties(ttmem_track_objects PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)

add_library(ttmem_shared SHARED $<TARGET_OBJECTS:ttmem_track_objects>)
set_target_properties(ttmem_shared PROPERTIES OUTPUT_NAME ttmem VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(ttmem_shared INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(ttmem_shared PRIVATE PkgConfig::SIMDJSON Threads::Threads)
target_link_options(ttmem_shared PRIVATE -Wl,--exclude-libs,ALL)

find_program(GNU_LD NAMES ld.bfd ld REQUIRED) # lld cannot dissolve the groups of C++ inline functions
set(TTMEM_STATIC ${CMAKE_BINARY_DIR}/libttmem.a)
set(static_object ${CMAKE_BINARY_DIR}/libttmem.o)
add_custom_command(OUTPUT ${TTMEM_STATIC}
  COMMAND ${GNU_LD} -r --force-group-allocation -o ${static_object} $<TARGET_OBJECTS:ttmem_track_objects>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${static_object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${TTMEM_STATIC}
  COMMAND ${CMAKE_AR} rcs ${TTMEM_STATIC} ${static_object}
  DEPENDS ttmem_track_objects $<TARGET_OBJECTS:ttmem_track_objects>
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(ttmem_static_archive ALL DEPENDS ${TTMEM_STATIC})
add_library(ttmem_static INTERFACE)
add_dependencies(ttmem_static ttmem_static_archive)
target_include_directories(ttmem_static INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(ttmem_static INTERFACE ${TTMEM_STATIC} PkgConfig::SIMDJSON Threads::Threads stdc++)
