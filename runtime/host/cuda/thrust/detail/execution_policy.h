// SPDX-License-Identifier: Apache-2.0
// Thrust's own, and the headers that Thrust's CUDA back end includes with every algorithm and
// container: programs rely on them.
#pragma once

#include_next <thrust/detail/execution_policy.h>

#include <iostream>
#if THRUST_VERSION >= 200000 // in older ones that header needs what includes this one
#include <thrust/system_error.h>
#endif
