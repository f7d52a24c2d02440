# shellcheck shell=bash
# Packages from Debian's or Ubuntu's apt, for ./dev and the scripts here, which source this from the
# root of the tree. tests/check_packages.sh tests it with other commands in apt's place.

say() { printf '==> %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# A line that the next one replaces, so that something moves while a step runs; `progress ''` takes it
# away. Nothing is said where nobody watches.
progress() {
  if [[ -t 1 ]]; then
    printf '\r\033[K%.79s' "${1:+    $1}"
  fi
}

# ---- what is there ----

# Alternatives, `a|b`, mean a where the distribution has it, else b; `a|` is done without elsewhere.
#
# Debian 12: Boost without a number is 1.74, too old, and the newer one cannot be installed beside it.
# There the headers are unpacked below build/, where the presets of CMake find them.
boost="libboost1.81-dev|libboost-dev"
boost_headers="libboost1.81-dev|libboost1.83-dev" # those that hold the headers themselves
unpacked=build/packages

have_boost() {
  [[ -e ${BOOST_ROOT:-/usr}/include/boost/pfr.hpp || -e $unpacked/usr/include/boost/pfr.hpp ]]
}

have_package() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

have_one_of() {
  if [[ $1 == "$boost" ]]; then
    have_boost
  else
    have_package "${1%|*}" || have_package "${1#*|}"
  fi
}

# Reads all that apt-cache says before it looks: a `grep -q` behind a pipe leaves at the first match,
# apt-cache dies of writing on, and `pipefail` makes a no of the yes.
known_to_apt() {
  local policy
  policy=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null) || return 1
  [[ $policy == *"Candidate: "[!\(]* ]]
}

# The alternative to take, or nothing. Apt is not asked about the last one: apt-get will tell better
# than we what is wrong with it.
choice_of() {
  if [[ $1 == *"|"* ]] && known_to_apt "${1%|*}"; then
    printf '%s' "${1%|*}"
  else
    printf '%s' "${1#*|}"
  fi
}

# ---- installing ----

# Runs a command as root; `as_root true` tells whether that is possible without a question.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

# Waits for another apt that is running, and takes nothing of the user's away.
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install -q --no-remove \
    --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

lists_updated=
update_lists() {
  [[ -z $lists_updated ]] || return 0
  say "apt-get update"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null ||
    say "apt-get update failed; going on with the lists that are there"
  lists_updated=yes
}

# Prints what apt-get would fetch and fill, in its words: `150 MB to fetch, 600 MB on disk`.
size_of_install() {
  local words
  words=$(apt_install --assume-no "$@" 2>&1 || true)
  [[ $words =~ Need\ to\ get\ ([0-9.,]+\ [kMG]?B) ]] && printf '%s to fetch' "${BASH_REMATCH[1]}"
  [[ $words =~ operation,\ ([0-9.,]+\ [kMG]?B) ]] && printf ', %s on disk' "${BASH_REMATCH[1]}"
  return 0
}

# Shows the lines of APT::Status-Fd, and prints the others: apt's words.
show_apt_progress() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*)$ ]]; then
      progress "${BASH_REMATCH[2]} %  ${BASH_REMATCH[3]}"
    else
      printf '%s\n' "$line" >&3
    fi
  done
}

# install_packages PACKAGE...: installs those that are missing. Where that is not possible it says
# what to do and goes on: the tools may be there all the same.
install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt here: these are needed, under Debian's names: $*"
    return
  fi
  local missing=() chosen=() package name root=yes
  for package in "$@"; do
    have_one_of "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  as_root true 2>/dev/null || root=
  [[ -z $root ]] || update_lists
  for package in "${missing[@]}"; do
    name=$(choice_of "$package")
    if [[ $package == "$boost" ]]; then
      # Left to unpack_boost where it would push something of the user's away, or without root.
      if [[ -z $root ]] || ! apt_install --simulate "$name" >/dev/null 2>&1; then continue; fi
    fi
    [[ -z $name ]] || chosen+=("$name")
  done
  [[ ${#chosen[@]} -gt 0 ]] || return 0
  if [[ -z $root ]]; then
    say "packages are missing, and this is not root, nor does sudo work without a password. Run"
    say "  sudo apt-get install --no-install-recommends ${chosen[*]}"
    say "and then this again. Going on with what is there."
    return
  fi
  say "apt-get install ${chosen[*]} ($(size_of_install "${chosen[@]}"))"
  mkdir -p build
  if ! apt_install -y -o APT::Status-Fd=1 "${chosen[@]}" 2>&1 |
    show_apt_progress 3>build/apt.log; then
    progress ''
    cat build/apt.log >&2
    die "apt-get could not install them; its words are above"
  fi
  progress ''
}

# unpack_package PACKAGE FOLDER FILE: unpacks it into the folder, where FILE has to be then. This
# needs no root. Apt's words are in build/apt.log.
unpack_package() {
  local part=$2.part
  rm -rf "$part"
  mkdir -p "$part"
  (cd "$part" && apt-get download "$1" </dev/null && dpkg-deb -x ./*.deb .) >build/apt.log 2>&1 &&
    [[ -e $part/$3 ]] || return
  rm -rf "$2" "$part"/*.deb
  mv "$part" "$2"
}

# Unpacks Boost's headers below build/ where they cannot be installed.
unpack_boost() {
  if have_boost || ! command -v apt-get >/dev/null; then return; fi
  local package
  package=$(choice_of "$boost_headers")
  say "Boost 1.75 or newer is not installed: unpacking $package into $unpacked"
  if ! unpack_package "$package" "$unpacked" usr/include/boost/pfr.hpp; then
    cat build/apt.log >&2
    die "$package could not be fetched and unpacked; apt's words are above. Where its lists are old or
missing, 'sudo apt-get update' helps. Or set BOOST_ROOT to where include/boost/pfr.hpp is."
  fi
}
