// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLAS, see cublas_api.h.
#pragma once

#include "cublas_api.h"
