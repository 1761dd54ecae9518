// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: accesses through surface objects; all of it comes with the
// front door.
#pragma once
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "cuda_runtime.h"
