// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: in one place with differences.
#pragma once

#include "block_adjacent_difference.cuh"
