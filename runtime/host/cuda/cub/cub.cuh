// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what of it is there.
#pragma once

// As CUB itself does, on which programs rely.
#include <chrono>
#include <iostream>
#if __has_include(<thrust/iterator/counting_iterator.h>)
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

#include "block/block_adjacent_difference.cuh"
#include "block/block_load.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "block/block_store.cuh"
#include "device/device_reduce.cuh"
#include "iterator/transform_input_iterator.cuh"
#include "util_debug.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"
