// SPDX-License-Identifier: Apache-2.0
// Thrust's own, and the headers that Thrust's CUDA back end includes with every algorithm and
// container: programs rely on them.
#pragma once

#include_next <thrust/detail/execution_policy.h>

#include <iostream>
#include <thrust/system_error.h>
