// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: all of a block is in one place.
#pragma once

#include "../block/block_reduce.cuh"
