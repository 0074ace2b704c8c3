# SPDX-License-Identifier: Apache-2.0
# The commit that --version tells, and its date, for everything that carries one (SOURCE_DATE_EPOCH goes first). Found anew by every
# build; the header is only written when it changes. Run as a script (cmake -P) with FOLDER and SOURCE, or included.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git describe --always --dirty --abbrev=10 --exclude=* WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit)
    set(commit "unknown commit")
  endif()
  file(CONFIGURE OUTPUT ${FOLDER}/ttmem_commit.h CONTENT "#define TTMEM_COMMIT \"${commit}\"\n")
  return()
endif()

set(TTMEM_COMMIT_FOLDER ${CMAKE_BINARY_DIR}/commit)
add_custom_target(ttmem_commit BYPRODUCTS ${TTMEM_COMMIT_FOLDER}/ttmem_commit.h
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${TTMEM_COMMIT_FOLDER} -D SOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_CURRENT_LIST_FILE} VERBATIM)

set(TTMEM_DATE "$ENV{SOURCE_DATE_EPOCH}")
if(TTMEM_DATE STREQUAL "")
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE TTMEM_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(TTMEM_DATE STREQUAL "")
  set(TTMEM_DATE 0)
endif()
