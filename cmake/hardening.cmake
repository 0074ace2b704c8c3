# SPDX-License-Identifier: Apache-2.0
# What makes a mistake in our code harder to exploit: everything we read is written by somebody else.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-Wformat -Wformat-security -fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fstack-clash-protection -fcf-protection)
endif()
if(NOT TTMEM_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# The same bytes come out wherever the source lies.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
