// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuSPARSE's generic interface on device memory, in single and
// double precision; what is not here is not declared, so that a use does not compile.
#pragma once
#define CUSPARSE_H_
#define CUSPARSEAPI

#include "relayout/host/macros_aside.h"

#include "cuda_runtime.h"
#include "library_types.h"

#include <map>
#include <utility>
#include <vector>

#include "relayout/sparse/types.h"

#include "relayout/sparse/operations.h"

#include "relayout/host/macros_back.h"
