// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: in one place with the configuration.
#pragma once

#include "config.cuh"
