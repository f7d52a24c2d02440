#!/usr/bin/env bash
# run.sh WAY SOURCE BUILD WORK COMPILER: builds an outside project that uses the library and runs it.
#   find_package      installs the static library of BUILD and finds it, with its components
#   add_subdirectory  embeds SOURCE as a shared library, then installs that and finds it too
#   pkg_config        installs the static library of BUILD and compiles by pkg-config
#   shared_object     links the static library of BUILD into a shared one, which keeps it to itself
#   two_versions      links the static library of BUILD and one of the next version into one program
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

refused() { # MESSAGE OPTION...: a component that is asked for and not there, or the package
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

# as_packaged PREFIX OPTION...: the program by pkg-config alone; the options ask for --static.
as_packaged() {
  local prefix=$1 words
  shift
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib/$(uname -m)-linux-gnu/pkgconfig
  export PKG_CONFIG_PATH
  read -ra words <<<"$(pkg-config "$@" --cflags --libs safestructures eigen3)"
  "$compiler" -std=c++20 -Werror "$source/tests/consumer/main.cpp" -o "$work/packaged" "${words[@]}" \
    -Wl,-rpath,"$(pkg-config --variable=libdir safestructures)"
  "$work/packaged"
}

# exported LIBRARY KINDS: what is in our namespace and it lets others see, of nm's kinds, but for the
# exception. Not what the standard library makes of our types: GCC shows that whatever is asked for.
exported() {
  nm --dynamic --defined-only "$1" | grep -E " [$2] _Z(T[ISVT]|GV)?N[KRO]*14safestructures" |
    grep -v '14safestructures2v05Error' || true
}

if [[ $way == find_package ]]; then
  cmake --install "$build" --prefix "$work/prefix"
  for file in bin/safestructures share/man/man1/safestructures.1 share/fish/vendor_completions.d/safestructures.fish \
    share/zsh/site-functions/_safestructures share/bash-completion/completions/safestructures; do
    [[ -s $work/prefix/$file ]] || { echo "$file is not installed" && exit 1; }
  done
  # Where the tree is its own build folder, such a file would be taken for one of its sources.
  if grep -E '^build [^:]*src/cli/[^ :]*\.cpp[ :]' "$build/build.ninja"; then
    echo "the above makes a source in src/cli"
    exit 1
  fi
  configure build find_package -DCMAKE_PREFIX_PATH="$work/prefix"
  cmake -G Ninja -S "$source/tests/consumer/components" -B "$work/components" \
    -DCMAKE_PREFIX_PATH="$work/prefix"
  refused "safestructures was installed without the component 'nonsense'. Installed are:.* eigen" \
    -DCOMPONENT=nonsense
  refused "The component 'eigen' of safestructures needs Eigen3 3.4 or newer (Debian: libeigen3-dev)." \
    -DCOMPONENT=eigen -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
  refused "The component 'eigen' of safestructures needs the target Eigen3::Eigen: Eigen3 was found, but did \
not make it, as there is a target named eigen already." -DCOMPONENT=eigen -DOTHER_TARGET=eigen
  refused "safestructures needs fmt 9.1 or newer (Debian: libfmt-dev), xxHash 0.8 or newer (Debian: libxxhash-dev)." \
    -DCOMPONENT=eigen -DCMAKE_DISABLE_FIND_PACKAGE_{fmt,xxHash}=ON
elif [[ $way == pkg_config ]]; then
  cmake --install "$build" --prefix "$work/prefix"
  as_packaged "$work/prefix" --static
  # What users warn of and we do not, in any header; those of test frameworks apart.
  warnings=(-Wall -Wextra -Wconversion -Wshadow)
  if [[ $("$compiler" --version) == *clang* ]]; then warnings+=(-Wshadow-all); else warnings+=(-Wuseless-cast); fi
  (cd "$source/include" && find . -name '*.hpp' -not -path '*/testing/*' -printf '#include <%P>\n') >"$work/headers.cpp"
  read -ra words <<<"$(pkg-config --cflags safestructures)"
  "$compiler" -std=c++20 -fsyntax-only -Werror "${warnings[@]}" "${words[@]}" "$work/headers.cpp"
  # Folders that are named in full are those; nothing is installed there, and in the source tree, where
  # $work may be, CMake wants none. BUILD_SHARED_LIBS decides whenever it changes.
  cmake -UBUILD_SHARED_LIBS -S "$source" -B "$work/absolute" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_INSTALL_INCLUDEDIR=/opt/elsewhere/headers -DCMAKE_INSTALL_LIBDIR=/opt/elsewhere/libraries \
    -DSAFESTRUCTURES_BUILD_{CLI,TESTS,EXAMPLES,BENCHMARKS}=OFF
  PKG_CONFIG_PATH=$work/absolute
  [[ $(pkg-config --variable=includedir safestructures) == /opt/elsewhere/headers ]]
  [[ $(pkg-config --variable=libdir safestructures) == /opt/elsewhere/libraries ]]
  cmake "$work/absolute" -DBUILD_SHARED_LIBS=ON
  pkg-config --cflags safestructures | grep -q SAFESTRUCTURES_SHARED
elif [[ $way == shared_object ]]; then
  cmake --install "$build" --prefix "$work/prefix"
  configure build shared_object -DCMAKE_PREFIX_PATH="$work/prefix"
  found=$(exported "$work/build/libuser.so" A-Za-z)
  # One that hides nothing of its own shows what it made of our templates, and none of our functions.
  found+=$(exported "$work/build/libcareless.so" TDBR)
  [[ -z $found ]] || { echo "a user's shared library exports our symbols:" && echo "$found" && exit 1; }
elif [[ $way == two_versions ]]; then
  cmake --install "$build" --prefix "$work/prefix"
  rm -rf "$work/source" && mkdir "$work/source"
  cp -r "$source"/{CMakeLists.txt,LICENSE,cmake,include,src} "$work/source"
  grep -rlE 'inline v0|::v0' "$work/source"/{include,src} | xargs sed -i -E 's/inline v0/inline v1/; s/::v0/::v1/'
  cmake -G Ninja -S "$work/source" -B "$work/other" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-O0 -w" \
    -DCMAKE_UNITY_BUILD=ON -DSAFESTRUCTURES_BUILD_{CLI,TESTS,EXAMPLES,BENCHMARKS}=OFF
  cmake --build "$work/other" --target safestructures
  cmake --install "$work/other" --prefix "$work/next"
  # A name of both would be one of them: the linker takes the first.
  names() { nm --extern-only --defined-only "$(find "$1" -name libsafestructures.a)" | awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u; }
  both=$(comm -12 <(names "$work/prefix") <(names "$work/next"))
  [[ -z $both ]] || { echo "two versions have these names in common:" && c++filt <<<"$both" && exit 1; }
  configure build two_versions -DCMAKE_PREFIX_PATH="$work/prefix" -DOTHER_VERSION="$work/next"
else
  configure build add_subdirectory -DSAFESTRUCTURES_SOURCE="$source" -DSAFESTRUCTURES_BUILD_SHARED=ON \
    -DSAFESTRUCTURES_INSTALL=ON -DCMAKE_UNITY_BUILD=ON -USAFESTRUCTURES_BUILD_CLI -UASKED_FOR
  if nm --dynamic --defined-only --demangle "$work"/build/safestructures/libsafestructures.so |
    grep -E ' [TW] .*(fmt|simdjson|nlohmann)::' | grep -v safestructures; then
    echo "the shared library exports the symbols above, which are not ours"
    exit 1
  fi
  cmake "$work/build" -DSAFESTRUCTURES_BUILD_CLI=ON -DASKED_FOR=safestructures_cli
  cmake --build "$work/build"
  cmake --install "$work/build/safestructures" --prefix "$work/prefix"
  configure found find_package -DCMAKE_PREFIX_PATH="$work/prefix"
  as_packaged "$work/prefix"
  # The tool has the library in itself: it runs where there is no other.
  cp "$work/prefix/bin/safestructures" "$work"
  "$work/safestructures" --version
fi
