// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the C library, callable from both sides. Parsed as CUDA its
// functions must be declared host and device; in a lowered program there is only one side.
#pragma once

#ifdef __CUDA__
// First, so that what it declares is not forced.
#include <stddef.h>
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#endif
// The C headers themselves, not libstdc++'s wrappers, which would drag in C++ ones and force
// those as well.
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <string.h>
#include <time.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#if __has_include(<bits/std_abs.h>)
// abs(long) and its like are plain inline functions there.
#include <bits/std_abs.h>
#endif
#pragma clang force_cuda_host_device end
#endif

#include <assert.h>
#include <float.h> // as CCCL's headers do
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// The C++ wrappers: overloads of abs, pow and the like in the global namespace.
#include <math.h>
#include <stdlib.h>

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#endif
