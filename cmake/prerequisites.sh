# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart.sh and run-tests.sh: installs the Debian packages that are missing.

# The toolchain, Clang 22 to parse CUDA, and the libraries relayout stands on.
build_packages="cmake ninja-build g++ clang-22 libclang-22-dev llvm-22-dev libclang-cpp22-dev
  libfmt-dev libcli11-dev nlohmann-json3-dev libexpected-dev libzstd-dev libxxhash-dev
  libboost-context-dev libkissfft-dev libthrust-dev"
test_packages="libgtest-dev libgmock-dev clang-format git patch"
# What continuous integration adds: clang-tidy, and the runtimes of Clang's sanitizers and fuzzer.
check_packages="clang-tidy-22 libclang-rt-22-dev"

say() { printf '== %s\n' "$*"; }

stop() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# install_missing PACKAGE...: installs what dpkg does not know as installed.
install_missing() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    stop "this script installs Debian or Ubuntu packages; on another system install the equivalent of: $*"
  fi
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "installing:$missing"
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      stop "installing packages needs root, and there is no sudo; ask for:$missing"
    as_root="sudo"
  fi
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing \
      >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    stop "apt-get could not install:$missing"
  }
}
