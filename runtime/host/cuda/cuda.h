// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the driver's header; here for what includes it.
#pragma once

#include "cuda_runtime.h"
