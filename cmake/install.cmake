# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the directories of GNU, below DESTDIR, under any --prefix given at that time.
include(GNUInstallDirs)

install(TARGETS ttmem RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(name ${TTMEM_OLDER_NAMES})
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\")
    message(STATUS \"Installing: \${link} -> ttmem\")
    file(CREATE_LINK ttmem \${link} SYMBOLIC)")
endforeach()

# The folder in which the lines of the Python tools run as they were written: python memory_profiler/extract_last_run.py LOG.
foreach(script ${TTMEM_OLDER_SCRIPTS})
  cmake_path(GET script PARENT_PATH folder)
  install(FILES ${CMAKE_BINARY_DIR}/python-tools/${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/ttmem/python-tools/${folder})
endforeach()

# ttmem.pc finds its folders from its own place, so that the tree can be moved.
file(RELATIVE_PATH TTMEM_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" TTMEM_PC_PREFIX ${TTMEM_PC_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/ttmem.pc.in ${CMAKE_BINARY_DIR}/ttmem.pc @ONLY)
install(TARGETS ttmem_run_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ttmem_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${TTMEM_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/ttmem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ttmem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h*")

# The folder in which the system's Python looks below a prefix: Debian's own packages are in lib/python3/dist-packages.
if(NOT TTMEM_PYTHON_DIR)
  set(TTMEM_PYTHON_DIR lib/python3/dist-packages)
  find_program(SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  if(SYSTEM_PYTHON AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    execute_process(COMMAND ${SYSTEM_PYTHON} -c "import sys; print('%d.%d' % sys.version_info[:2])"
      OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(TTMEM_PYTHON_DIR lib/python${version}/dist-packages)
    if(NOT EXISTS /etc/debian_version)
      set(TTMEM_PYTHON_DIR lib/python${version}/site-packages)
    endif()
  endif()
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/ttmem DESTINATION ${TTMEM_PYTHON_DIR} FILES_MATCHING PATTERN "*.py")

install(DIRECTORY ${TTMEM_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(DIRECTORY ${TTMEM_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
install(DIRECTORY ${TTMEM_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 FILES_MATCHING PATTERN "*.5")
# bash and fish look for a file of the command's name.
install(FILES ${TTMEM_COMPLETION}/ttmem.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ttmem)
set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh_folder vendor-completions)
endif()
install(FILES ${TTMEM_COMPLETION}/ttmem.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} RENAME _ttmem)
install(FILES ${TTMEM_COMPLETION}/ttmem.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
foreach(name ${TTMEM_OLDER_NAMES})
  install(CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    file(CREATE_LINK ttmem \${share}/bash-completion/completions/${name} SYMBOLIC)
    file(CREATE_LINK ttmem.fish \${share}/fish/vendor_completions.d/${name}.fish SYMBOLIC)")
endforeach()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/ttmem FILES_MATCHING PATTERN "*.json")

file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
install(FILES README.md CHANGELOG.md LICENSE docs/llms.txt ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY skills DESTINATION ${CMAKE_INSTALL_DATADIR}/ttmem)
