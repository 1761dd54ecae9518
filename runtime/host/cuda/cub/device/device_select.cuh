// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: all of whole arrays is in one place.
#pragma once

#include "device_reduce.cuh"
