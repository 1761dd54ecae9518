// SPDX-License-Identifier: Apache-2.0
// Thrust's own, and the headers that Thrust's CUDA back end includes here: programs rely on them.
#pragma once

#include_next <thrust/system/cpp/detail/unique.h>

#include <thrust/count.h>
#include <thrust/distance.h>
#include <thrust/functional.h>
