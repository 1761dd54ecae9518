// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLAS, see cublas_api.h.
#pragma once
#define CUBLAS_V2_H_

#include "cublas_api.h"
