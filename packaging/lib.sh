# SPDX-License-Identifier: Apache-2.0
# What the package scripts share. $build is a built folder (preset package), $out where packages go.
version=$(sed -nE 's/^project\(ttmem VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022

stage() { # stage FOLDER [PREFIX]: an installed tree in FOLDER, below PREFIX if it is for DESTDIR
  rm -rf "$1"
  if [ -n "${2:-}" ]; then DESTDIR=$1 cmake --install "$build" --strip --prefix "$2" >"$build/stage.log"
  else cmake --install "$build" --strip --prefix "$1" >"$build/stage.log"; fi
  find "$1" -name libttmem.a -exec strip --strip-debug --enable-deterministic-archives {} +
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# Shared libraries that a file needs, directly or through others, except those of glibc: name and path. The program needs also those
# that it loads when they are used.
libraries() { # libraries FILE...
  local file name path
  for file; do
    ldd "$file"
    case $file in
      */bin/ttmem) while read -r name path; do echo "$name => $path" && ldd "$path"; done <"$build/loaded_libraries" ;;
    esac
  done | awk '$3 ~ /^\// {print $1, $3}' | sort -u -k1,1 |
    grep -vE '^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libnsl|libanl|ld-linux[^ ]*|linux-vdso)\.so'
}

# The Debian package that a library belongs to.
package_of() { # package_of PATH
  local found
  found=$(dpkg-query -S "$(realpath "$1")" 2>/dev/null || dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "${1#/usr}" 2>/dev/null)
  echo "${found%%:*}"
}

# Copies those libraries: the C++ runtime into FOLDER/cxx, everything else into FOLDER. Programs that link libttmem bring their
# own, perhaps newer, C++ runtime, so only ttmem itself looks into FOLDER/cxx.
bring_libraries() { # bring_libraries FOLDER FILE...
  local folder=$1 name path
  shift
  mkdir -p "$folder/cxx"
  libraries "$@" | while read -r name path; do
    case $name in
      libstdc++.so* | libgcc_s.so*) install -m 644 "$path" "$folder/cxx/$name" ;;
      *) install -m 644 "$path" "$folder/$name" ;;
    esac
  done
}

# Licences of what is inside the program (grammar, page) and, for the named files, of the libraries that lie beside it.
bring_licences() { # bring_licences FOLDER [FILE...]
  local folder=$1 module name path package
  shift
  mkdir -p "$folder"
  for module in uplot tree-sitter-cpp tree-sitter-python; do install -m 644 "node_modules/$module/LICENSE" "$folder/$module"; done
  [ $# -gt 0 ] || return 0
  libraries "$@" | while read -r name path; do
    package=$(package_of "$path")
    [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ] && install -m 644 "/usr/share/doc/$package/copyright" "$folder/$package"
  done
  return 0
}
