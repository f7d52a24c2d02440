#!/usr/bin/env bash
# check.sh DEB: installs the package where nothing of ours was, builds the outside projects of
# tests/consumer with it, and removes it again. Needs root, and a system that may be thrown away.
set -euo pipefail
deb=$(realpath "$1")
cd "$(dirname "$0")/../.."

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# What the package depends on comes with it; the rest is what anybody needs to compile.
apt-get install -y -qq --no-install-recommends "$deb" g++ cmake ninja-build pkg-config libeigen3-dev

safestructures --version
[[ -s /usr/share/doc/safestructures-dev/copyright ]]
[[ -s /usr/share/man/man1/safestructures.1 || -s /usr/share/man/man1/safestructures.1.gz ]]
cmake -G Ninja -S tests/consumer/find_package -B /tmp/consumer
cmake --build /tmp/consumer
/tmp/consumer/consumer
read -ra flags <<<"$(pkg-config --static --cflags --libs safestructures eigen3)"
g++ -std=c++20 tests/consumer/main.cpp -o /tmp/packaged "${flags[@]}"
/tmp/packaged

apt-get remove -y -qq safestructures-dev
left=$(find / -xdev -path /work -prune -o -path /tmp -prune -o -name '*safestructures*' -not -path '/var/*' -print)
[[ -z $left ]] || { echo "removing the package leaves these behind: $left" && exit 1; }
echo "the package installs, serves and goes"
