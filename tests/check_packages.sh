#!/usr/bin/env bash
# check_packages.sh ROOT: .ci/packages.sh with other commands in apt's, dpkg's and sudo's place, in a
# folder of its own: what it asks of them, and what it says where they say no.
set -euo pipefail

root=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
PATH=$work/bin:$PATH
export work
cd "$work"

# The machine that the commands tell of: one file for each list of names.
new_machine() {
  rm -rf build usr
  mkdir -p usr/include
  printf '%s\n' "$@" >known # to apt
  : >installed
  : >calls # of what changes something
  echo 0 >user
  echo quick >apt_cache
  echo yes >network
}

command_is() { # NAME, and its text on standard input
  { printf '#!/usr/bin/env bash\n' && cat; } >"bin/$1"
  chmod +x "bin/$1"
}

command_is id <<'TEXT'
cat "$work/user"
TEXT
command_is sudo <<'TEXT'
echo "sudo: a password is required" >&2
exit 1
TEXT
command_is dpkg-query <<'TEXT'
if grep -qx -- "${*: -1}" "$work/installed"; then printf installed; else exit 1; fi
TEXT
# As apt-cache does, it writes piece by piece and dies where nobody reads any more.
command_is apt-cache <<'TEXT'
[[ $1 == policy ]]
candidate="(none)"
grep -qx -- "$2" "$work/known" && candidate=1.0-1
printf '%s:\n  Installed: (none)\n  Candidate: %s\n  Version table:\n' "$2" "$candidate"
case $(<"$work/apt_cache") in
  slow) for ((i = 0; i < 3; ++i)); do sleep 0.1 && printf '     1.0-1 500\n' || exit 141; done ;;
  chatty) for ((i = 0; i < 10000; ++i)); do printf '     1.0-%d 500\n' "$i" || exit 141; done ;;
esac
TEXT
command_is apt-get <<'TEXT'
names=()
for word; do
  case $word in
    update | install | download) verb=$word ;;
    --simulate | --assume-no) verb=$word ;;
    --no-remove) no_remove=yes ;;
    -* | *::*) ;;
    *) names+=("$word") ;;
  esac
done
if [[ $verb == --assume-no ]]; then
  echo "Need to get 1,234 kB/5,678 kB of archives."
  echo "After this operation, 42.5 MB of additional disk space will be used."
  exit 1
fi
for name in "${names[@]}"; do
  grep -qx -- "$name" "$work/known" || { echo "E: Unable to locate package $name" >&2 && exit 100; }
done
if [[ " ${names[*]} " == *" libboost1.81-dev "* && $verb != download ]] &&
  grep -qx libboost-dev "$work/installed"; then
  [[ -n $no_remove ]] && echo "E: Packages need to be removed but remove is disabled." >&2 && exit 100
fi
[[ $verb == --simulate ]] && exit 0
[[ $(<"$work/network") == yes ]] || { echo "E: Could not resolve the host" >&2 && exit 100; }
echo "$verb ${names[*]}" >>"$work/calls"
case $verb in
  download) touch "${names[0]}_1.0-1_all.deb" ;;
  install)
    for name in "${names[@]}"; do
      echo "pmstatus:$name:50.0:Installing $name"
      echo "$name" >>"$work/installed"
      [[ $name == libboost* ]] && mkdir -p "$work/usr/include/boost" && touch "$work/usr/include/boost/pfr.hpp"
    done
    ;;
esac
exit 0
TEXT
command_is dpkg-deb <<'TEXT'
[[ $1 == -x && -e $2 ]] || exit 2
echo "dpkg-deb -x ${2##*/}" >>"$work/calls"
mkdir -p "$3/usr/include/boost" && touch "$3/usr/include/boost/pfr.hpp"
TEXT

failures=0
# expect WHAT WANTED FOUND
expect() {
  if [[ $2 != "$3" ]]; then
    printf '%s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}
# expect_words WHAT PART TEXT
expect_words() { expect "$1" "*$2*" "$([[ $3 == *"$2"* ]] && printf '*%s*' "$2" || printf '%s' "$3")"; }

# run COMMAND...: with the functions of packages.sh; `said` is what it printed, `status` its exit code.
run() {
  status=0
  said=$(BASH_ENV='' BOOST_ROOT=$work/usr LC_ALL=C bash -c 'set -euo pipefail; source "$0"; "$@"' \
    "$root/.ci/packages.sh" "$@" 2>&1) || status=$?
}
set_up() {
  run eval "install_packages tool \"\$boost\" && unpack_boost"
}

for kind in quick slow chatty; do
  new_machine tool
  echo $kind >apt_cache
  for try in 1 2 3; do
    run known_to_apt tool
    expect "a known package, a $kind apt-cache, try $try" 0 "$status"
  done
  run known_to_apt nothing
  expect "an unknown package, a $kind apt-cache" 1 "$status"

  new_machine tool-14 tool
  echo $kind >apt_cache
  run install_packages "tool-14|tool" "other-14|" "plain|"
  expect "the first alternative, a $kind apt-cache" "update ,install tool-14," "$(tr '\n' , <calls)"
done

new_machine tool
run install_packages "tool-14|tool"
expect "an unknown package falls to its alternative" "update ,install tool," "$(tr '\n' , <calls)"
expect_words "sizes are said" "install tool (1,234 kB to fetch, 42.5 MB on disk)" "$said"
run install_packages "tool-14|tool"
expect "nothing is installed twice" "update ,install tool," "$(tr '\n' , <calls)"

new_machine
run install_packages tool
expect "apt's no is an error" 1 "$status"
expect_words "and apt's words are shown" "E: Unable to locate package tool" "$said"

new_machine tool libboost1.81-dev libboost-dev
set_up
expect "a new Debian 12" "update ,install tool libboost1.81-dev," "$(tr '\n' , <calls)"

new_machine tool libboost-dev libboost1.83-dev
set_up
expect "a new Debian 13" "update ,install tool libboost-dev," "$(tr '\n' , <calls)"

new_machine tool libboost1.81-dev libboost-dev
echo libboost-dev >>installed # 1.74, which has no pfr.hpp
set_up
expect "Debian 12 with libboost-dev" \
  "update ,install tool,download libboost1.81-dev,dpkg-deb -x libboost1.81-dev_1.0-1_all.deb," \
  "$(tr '\n' , <calls)"
expect "which is unpacked whole, with no archive left" "build/packages build/packages/usr" \
  "$(find build -maxdepth 2 -mindepth 1 ! -name apt.log | sort | xargs)"
: >calls
set_up
expect "and only once" "" "$(<calls)"

new_machine tool libboost1.81-dev libboost-dev
printf '%s\n' tool libboost-dev >>installed
echo no >network
set_up
expect "without network nothing is unpacked" "1 build/packages.part" "$status $(ls -d build/packages*)"
expect_words "and apt's words are shown" "E: Could not resolve the host" "$said"
expect_words "with advice" "Or set BOOST_ROOT" "$said"

for distribution in libboost1.81-dev libboost1.83-dev; do
  new_machine tool $distribution
  echo 1000 >user
  set_up
  expect "without root, $distribution is unpacked all the same" \
    "0 download $distribution,dpkg-deb -x ${distribution}_1.0-1_all.deb," "$status $(tr '\n' , <calls)"
  expect_words "and it is said what to do" "sudo apt-get install --no-install-recommends tool" "$said"
done

new_machine
mv bin/apt-get bin/apt-get.away
run eval 'PATH=$work/bin:/nowhere; install_packages tool "tool-14|tool" && unpack_boost'
expect_words "without apt the names are said" "these are needed, under Debian's names: tool tool-14|tool" "$said"

[[ $failures == 0 ]] || { echo "$failures expectations failed" && exit 1; }
echo "packages: all as expected"
