// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: what host compilers are told; all of it comes with the front
// door.
#pragma once
#define __HOST_CONFIG_H__

#include "cuda_runtime.h"
