#!/usr/bin/env bash
# Has an earlier version write its golden files: make_earlier.sh COMMIT FOLDER
#
#     2026-11-22  996a838  the last layout of recordings that is not read any more
#     2026-11-24  f267577  the first one of today's layout
#
# Recordings hold times, so that it does not write the same bytes twice; all else it does.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
commit=$1
folder=$2
work=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$work/source"; rm -rf "$work"' EXIT

git -C "$root" worktree add --detach "$work/source" "$commit"
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_UNITY_BUILD=ON -DSAFESTRUCTURES_BUILD_TESTS=OFF \
  -DSAFESTRUCTURES_BUILD_EXAMPLES=OFF -DSAFESTRUCTURES_BUILD_BENCHMARKS=OFF
cmake --build "$work/build" --target safestructures
g++ -std=c++20 -DFMT_SHARED -I"$work/source/include" -I"$work/source/plugins/eigen/include" -I"$root/tests" \
  -isystem /usr/include/eigen3 "$root/tests/golden/make_earlier.cpp" "$work/build/libsafestructures.a" \
  -lfmt -lsimdjson -lxxhash -ldeflate -lz -lpthread -o "$work/make_earlier"
"$work/make_earlier" "$folder"
