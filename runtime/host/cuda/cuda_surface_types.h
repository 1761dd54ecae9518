// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: a header of CUDA 11; types of surfaces; nothing of it is there,
// so that a use does not compile.
#pragma once

#include "cuda_runtime.h"
