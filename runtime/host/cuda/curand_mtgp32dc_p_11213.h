// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the name of cuRAND's parameters of MTGP32, of which none is
// here.
#pragma once
#define CURAND_MTGP32DC_P_11213_H

#include "curand_mtgp32.h"

inline mtgp32_params_fast_t mtgp32dc_params_fast_11213[CURAND_NUM_MTGP32_PARAMS] = {};
