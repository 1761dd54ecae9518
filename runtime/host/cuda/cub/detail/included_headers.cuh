// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: headers that CUB's own include and programs rely on, where they are
// installed.
#pragma once

#if __has_include(<thrust/iterator/counting_iterator.h>)
#include <thrust/distance.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif
#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#endif
