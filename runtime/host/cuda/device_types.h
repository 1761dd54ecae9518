// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: rounding modes as values.
#pragma once
#define __DEVICE_TYPES_H__

#include "cuda_runtime.h"

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
