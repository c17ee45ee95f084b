#!/bin/sh
# check_format.sh ROOT CLANG_FORMAT - every C and C++ file is formatted.
set -eu
cd "$1"
git ls-files -z '*.c' '*.h' '*.cpp' |
  xargs -0 "$2" --dry-run -Werror
