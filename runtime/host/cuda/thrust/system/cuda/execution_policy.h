// SPDX-License-Identifier: Apache-2.0
// Thrust on the CPU executor: its C++ back end stands for CUDA's.
#pragma once

#include <thrust/execution_policy.h>
