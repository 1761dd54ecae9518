#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a rewritten, verified program: installs what is missing, builds relayout,
# and lets it optimise samples/drift. Needs no GPU and no CUDA toolkit. Safe to run again.
set -eu
cd "$(dirname "$0")"
. cmake/prerequisites.sh

install_missing $build_packages
say "building relayout in build/"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
  -DCMAKE_UNITY_BUILD=ON >build-configure.log ||
  { cat build-configure.log >&2; stop "cmake could not configure the build"; }
rm -f build-configure.log
cmake --build build --target relayout_tool

say "build/bin/relayout optimize samples/drift/drift.cu -- --check"
exec build/bin/relayout optimize samples/drift/drift.cu -- --check
