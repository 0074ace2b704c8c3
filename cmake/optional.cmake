# SPDX-License-Identifier: Apache-2.0
# Features that one library serves and that can be left out (-DTTMEM_<NAME>=OFF). The build takes the library's header; the library is
# loaded when the feature is used (src/base/dynlib.h). Where a feature is left out, <source>_none.c stands in for its sources.
# ${CMAKE_BINARY_DIR}/loaded_libraries names the libraries, for the packages: "libpq.so.5 /usr/lib/.../libpq.so".
set(loaded_libraries "")

# optional_part(OPTION WHAT MODULE VARIABLE SOURCE...): MODULE as pkg-config knows it. The first of the sources, which are paths in src/
# without .c, has the stand-in. Sets VARIABLE_VERSION ("": left out) and gives every source the definition TTMEM_<VARIABLE>_FILE.
macro(optional_part option what module variable)
  option(${option} "${what}" ON)
  set(part_sources ${ARGN})
  list(TRANSFORM part_sources PREPEND ${CMAKE_SOURCE_DIR}/src/)
  list(GET part_sources 0 stand_in)
  list(TRANSFORM part_sources APPEND .c)
  if(${option})
    pkg_check_modules(${variable} REQUIRED ${module})
    list(GET ${variable}_LINK_LIBRARIES 0 library)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "SONAME +([^ \n]+)" _ "${headers}")
    string(APPEND loaded_libraries "${CMAKE_MATCH_1} ${library}\n")
    set_property(SOURCE ${part_sources} APPEND PROPERTY COMPILE_DEFINITIONS TTMEM_${variable}_FILE="${CMAKE_MATCH_1}")
    list(APPEND TTMEM_LOADED_INCLUDES ${${variable}_INCLUDE_DIRS})
    list(REMOVE_ITEM TTMEM_SOURCES ${stand_in}_none.c)
  else()
    set(${variable}_VERSION "")
    list(REMOVE_ITEM TTMEM_SOURCES ${part_sources})
  endif()
endmacro()

set(TTMEM_LOADED_INCLUDES)
optional_part(TTMEM_POSTGRES "a history in PostgreSQL, by libpq" libpq LIBPQ store/store_postgres)
optional_part(TTMEM_PNG "pictures as PNG, by cairo" cairo CAIRO render/chart/scene_png)
optional_part(TTMEM_SERVE "ttmem serve, by libmicrohttpd" libmicrohttpd MICROHTTPD serve/server serve/mhd serve/answer serve/live_feed serve/mcp_http serve/metrics)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/loaded_libraries CONTENT "${loaded_libraries}")
