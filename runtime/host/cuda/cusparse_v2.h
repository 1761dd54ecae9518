// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuSPARSE, by its second name.
#pragma once

#include "cusparse.h"
