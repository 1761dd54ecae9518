// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: NVTX's names for streams and events; nothing of it is there, so
// that a use does not compile.
#pragma once

#include "../nvToolsExt.h"
