// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: channel descriptors; all of it comes with the front door.
#pragma once
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime.h"
