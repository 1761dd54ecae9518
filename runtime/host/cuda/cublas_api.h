// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLAS on device memory. Levels 1 to 3 in single and double
// precision, real and complex, products in half precision and of mixed types, and what simulations
// call beside them; anything else is not declared, so that a use does not compile. Sums are formed
// in the order of the elements, unlike on a GPU.
#pragma once
#define CUBLAS_API_H_

#include "relayout/host/macros_aside.h"

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

#include <type_traits>
#include <utility>

#include "relayout/blas/numbers.h"
#include "relayout/blas/types.h"

#include "relayout/blas/level1.h"
#include "relayout/blas/level2.h"
#include "relayout/blas/level3.h"

#include "relayout/blas/mixed.h"

#include "relayout/host/macros_back.h"
