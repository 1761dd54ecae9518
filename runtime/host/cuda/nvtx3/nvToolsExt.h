// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: NVTX.
#pragma once

#include "../nvToolsExt.h"
