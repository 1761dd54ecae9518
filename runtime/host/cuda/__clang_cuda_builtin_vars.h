// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: what editors that run Clang put into programs; all that it
// would declare is there already.
#pragma once

#include "cuda_runtime.h"
