// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: surface objects.
#pragma once
#define __SURFACE_TYPES_H__

#include "texture_types.h"

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

typedef unsigned long long cudaSurfaceObject_t;

#ifdef __cplusplus
namespace relayout::host {

/// What a surface object stands for: rows of bytes.
struct Surface {
  unsigned char *memory = nullptr;
  size_t pitch = 0; ///< bytes of a row
  size_t height = 1, depth = 1;
  cudaResourceDesc resource{};
};

} // namespace relayout::host
#endif
