#!/usr/bin/env bash
# run.sh WAY SOURCE BUILD WORK COMPILER: builds an outside project that uses the library and runs it.
#   find_package      installs the static library of BUILD and finds it, with its components
#   add_subdirectory  embeds SOURCE as a shared library, then installs that and finds it too
set -euo pipefail

way=$1 source=$2 build=$3 work=$4/$1 compiler=$5
rm -rf "$work/prefix" # the build folders stay, so that a second run is quick
mkdir -p "$work"

configure() { # FOLDER PROJECT OPTION...
  local folder=$work/$1 project=$2
  shift 2
  cmake -G Ninja -S "$source/tests/consumer/$project" -B "$folder" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS=-Werror "$@"
  cmake --build "$folder"
  "$folder/consumer"
}

refused() { # MESSAGE OPTION...: a component that is asked for and not there
  local message=$1 output
  shift
  rm -rf "$work/refused"
  if output=$(cmake -G Ninja -S "$source/tests/consumer/components" -B "$work/refused" \
    -DCMAKE_PREFIX_PATH="$work/prefix" "$@" 2>&1); then
    echo "a component that is not there was found: $*"
    exit 1
  fi
  # CMake breaks the lines of messages.
  if ! tr -s ' \n' ' ' <<<"$output" | grep -q -- "$message"; then
    echo "the message is not '$message':"
    echo "$output"
    exit 1
  fi
}

if [[ $way == find_package ]]; then
  cmake --install "$build" --prefix "$work/prefix"
  configure build find_package -DCMAKE_PREFIX_PATH="$work/prefix"
  cmake -G Ninja -S "$source/tests/consumer/components" -B "$work/components" \
    -DCMAKE_PREFIX_PATH="$work/prefix"
  refused "safestructures was installed without the component 'nonsense'. Installed are:.* eigen" \
    -DCOMPONENT=nonsense
  refused "The component 'eigen' of safestructures needs Eigen3 3.4 or newer (Debian: libeigen3-dev)." \
    -DCOMPONENT=eigen -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
else
  configure build add_subdirectory -DSAFESTRUCTURES_SOURCE="$source" -DBUILD_SHARED_LIBS=ON \
    -DSAFESTRUCTURES_INSTALL=ON
  if nm --dynamic --defined-only --demangle "$work"/build/safestructures/libsafestructures.so |
    grep -E ' [TW] .*(fmt|simdjson|nlohmann)::' | grep -v safestructures; then
    echo "the shared library exports the symbols above, which are not ours"
    exit 1
  fi
  cmake --install "$work/build/safestructures" --prefix "$work/prefix"
  configure found find_package -DCMAKE_PREFIX_PATH="$work/prefix"
fi
