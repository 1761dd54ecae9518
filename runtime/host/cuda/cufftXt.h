// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: of cuFFT's extensions nothing is there, so that a use does not
// compile.
#pragma once
#define _CUFFTXT_H_

#include "cufft.h"
