// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: kept for programs that name it.
#pragma once

#include "util_type.cuh"
