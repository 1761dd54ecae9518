#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything, runs every test. Needs no GPU: tests that want one,
# or the CUDA compiler, say that they are skipped. Safe to run again.
set -eu
cd "$(dirname "$0")"
. cmake/prerequisites.sh

install_missing $build_packages $test_packages
say "building relayout and its tests in build-tests/"
cmake -S . -B build-tests -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON \
  -DCMAKE_UNITY_BUILD=ON
cmake --build build-tests
say "running the tests"
exec ctest --test-dir build-tests --output-on-failure --no-tests=error -j "$(nproc)" "$@"
