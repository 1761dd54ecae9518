// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what of it is there.
#pragma once

#include "block/block_reduce.cuh"
#include "device/device_reduce.cuh"
