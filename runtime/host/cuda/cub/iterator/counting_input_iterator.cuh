// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: all iterators are in one place.
#pragma once

#include "transform_input_iterator.cuh"
