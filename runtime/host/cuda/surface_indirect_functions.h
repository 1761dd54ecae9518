// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: accesses through surface objects; nothing of it is there, so
// that a use does not compile.
#pragma once

#include "cuda_runtime.h"
