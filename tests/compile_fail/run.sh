#!/usr/bin/env bash
# run.sh SOURCE COMPILER FLAG...: see CMakeLists.txt beside it.
set -euo pipefail

source=$1
shift
pattern=$(sed -n '1s|^// error: ||p' "$source")
if [[ -z $pattern ]]; then
  echo "$source: the first line must be '// error: <regex>'"
  exit 1
fi
read -ra flags <<<"$(sed -n '2s|^// flags: ||p' "$source")"
if ! output=$("$@" -fsyntax-only "$source" 2>&1); then
  echo "$source does not compile even without -DSHOULD_FAIL:"
  echo "$output"
  exit 1
fi
if output=$("$@" "${flags[@]}" -fsyntax-only -DSHOULD_FAIL "$source" 2>&1); then
  echo "$source compiles with -DSHOULD_FAIL, but must not"
  exit 1
fi
if ! grep -qE -- "$pattern" <<<"$output"; then
  echo "$source fails, but its output does not match '$pattern':"
  echo "$output"
  exit 1
fi
absent=$(sed -n '2,3s|^// absent: ||p' "$source")
if [[ -n $absent ]] && grep -qE -- "$absent" <<<"$output"; then
  echo "$source fails as it should, but its output matches '$absent' as well:"
  echo "$output"
  exit 1
fi
