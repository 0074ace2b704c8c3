# SPDX-License-Identifier: Apache-2.0
# Man pages from docs/man by scdoc, pages of the older names that lead to them, completion scripts from the program's own tables.
set(TTMEM_MANUAL ${CMAKE_BINARY_DIR}/man)
set(TTMEM_COMPLETION ${CMAKE_BINARY_DIR}/completion)
set(manual_files)

# The older programs: names, commands and scripts from the table of the source. The scripts of a build folder start its ttmem.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cmd/line/programs.def)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/cmd/line/programs.def rows REGEX "^PROGRAM")
set(TTMEM_OLDER_NAMES)
set(TTMEM_OLDER_SCRIPTS)
foreach(row ${rows})
  string(REGEX MATCH "\"([^\"]*)\", *\"([^\"]*)\", *\"([^\"]*)\"" _ "${row}")
  set(names ${CMAKE_MATCH_1})
  set(script ${CMAKE_MATCH_3})
  string(REPLACE " " "-" page ${CMAKE_MATCH_2})
  if(script)
    list(APPEND names ${CMAKE_MATCH_1}.py)
    list(APPEND TTMEM_OLDER_SCRIPTS ${script})
    configure_file(${CMAKE_SOURCE_DIR}/python/scripts/launch.py ${CMAKE_BINARY_DIR}/python-tools/${script} COPYONLY)
  endif()
  foreach(name ${names})
    list(APPEND TTMEM_OLDER_NAMES ${name})
    file(CONFIGURE OUTPUT ${TTMEM_MANUAL}/${name}.1 CONTENT ".so man1/ttmem-${page}.1\n")
  endforeach()
endforeach()

find_program(SCDOC scdoc)
if(SCDOC)
  file(GLOB manual_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.scd)
  foreach(source ${manual_sources})
    get_filename_component(page ${source} NAME_WLE)
    add_custom_command(OUTPUT ${TTMEM_MANUAL}/${page}
      COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${TTMEM_DATE} ${SCDOC} <${source} >${TTMEM_MANUAL}/${page}.made
      COMMAND sed -f ${CMAKE_SOURCE_DIR}/cmake/manual.sed ${TTMEM_MANUAL}/${page}.made >${TTMEM_MANUAL}/${page}
      COMMAND ${CMAKE_COMMAND} -E rm ${TTMEM_MANUAL}/${page}.made
      DEPENDS ${source} ${CMAKE_SOURCE_DIR}/cmake/manual.sed COMMENT "Manual page ${page}")
    list(APPEND manual_files ${TTMEM_MANUAL}/${page})
  endforeach()
else()
  message(STATUS "scdoc is not there: no manual pages")
endif()

file(MAKE_DIRECTORY ${TTMEM_COMPLETION})
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${TTMEM_COMPLETION}/ttmem.${shell}
    COMMAND ttmem completion ${shell} -o ${TTMEM_COMPLETION}/ttmem.${shell} DEPENDS ttmem VERBATIM)
  list(APPEND manual_files ${TTMEM_COMPLETION}/ttmem.${shell})
endforeach()
add_custom_target(manual ALL DEPENDS ${manual_files})
