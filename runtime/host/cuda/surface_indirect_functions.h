// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: reads and writes through surface objects. The first coordinate
// counts bytes, the others rows, planes, layers and faces.
#pragma once
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "device_functions.h"
#include "surface_types.h"

namespace relayout::host::detail {

/// The place of `bytes` bytes.
/// \returns  null where it is outside, and the mode says that nothing is there
__device__ inline unsigned char *placeInSurface(cudaSurfaceObject_t object, size_t bytes, int x,
                                                int y, int z, cudaSurfaceBoundaryMode mode) {
  const Surface &surface = *reinterpret_cast<const Surface *>(object);
  const auto last = [](size_t size) { return static_cast<long long>(size) - 1; };
  const long long most[3] = {static_cast<long long>(surface.pitch) - static_cast<long long>(bytes),
                             last(surface.height), last(surface.depth)};
  long long at[3] = {x, y, z};
  if (most[0] < 0) // wider than a row
    return nullptr;
  for (int i = 0; i < 3; ++i) {
    if (at[i] >= 0 && at[i] <= most[i])
      continue;
    if (mode == cudaBoundaryModeZero)
      return nullptr;
    if (mode == cudaBoundaryModeTrap)
      ::__trap();
    at[i] = at[i] < 0 ? 0 : most[i];
  }
  return surface.memory +
         (static_cast<size_t>(at[2]) * surface.height + static_cast<size_t>(at[1])) *
             surface.pitch +
         at[0];
}

template <class T>
__device__ inline T readSurface(cudaSurfaceObject_t object, int x, int y, int z,
                                cudaSurfaceBoundaryMode mode) {
  T value{};
  if (const unsigned char *const at = placeInSurface(object, sizeof(T), x, y, z, mode))
    __builtin_memcpy(&value, at, sizeof(T));
  return value;
}

template <class T>
__device__ inline void writeSurface(const T &value, cudaSurfaceObject_t object, int x, int y, int z,
                                    cudaSurfaceBoundaryMode mode) {
  if (unsigned char *const at = placeInSurface(object, sizeof(T), x, y, z, mode))
    __builtin_memcpy(at, &value, sizeof(T));
}

} // namespace relayout::host::detail

/// The three functions of one kind of surface: its name, its coordinates after the object, and
/// which of them stand for byte, row and plane.
#define RELAYOUT_SURFACE(name, coordinates, x, y, z)                                               \
  template <class T>                                                                               \
  __device__ inline T surf##name##read(cudaSurfaceObject_t object, RELAYOUT_LIST coordinates,      \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    return relayout::host::detail::readSurface<T>(object, x, y, z, mode);                          \
  }                                                                                                \
  template <class T>                                                                               \
  __device__ inline void surf##name##read(T *value, cudaSurfaceObject_t object,                    \
                                          RELAYOUT_LIST coordinates,                               \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    *value = relayout::host::detail::readSurface<T>(object, x, y, z, mode);                        \
  }                                                                                                \
  template <class T>                                                                               \
  __device__ inline void surf##name##write(T value, cudaSurfaceObject_t object,                    \
                                           RELAYOUT_LIST coordinates,                              \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    relayout::host::detail::writeSurface(value, object, x, y, z, mode);                            \
  }
#define RELAYOUT_LIST(...) __VA_ARGS__
RELAYOUT_SURFACE(1D, (int x), x, 0, 0)
RELAYOUT_SURFACE(2D, (int x, int y), x, y, 0)
RELAYOUT_SURFACE(3D, (int x, int y, int z), x, y, z)
RELAYOUT_SURFACE(1DLayered, (int x, int layer), x, 0, layer)
RELAYOUT_SURFACE(2DLayered, (int x, int y, int layer), x, y, layer)
RELAYOUT_SURFACE(Cubemap, (int x, int y, int face), x, y, face)
RELAYOUT_SURFACE(CubemapLayered, (int x, int y, int layerFace), x, y, layerFace)
#undef RELAYOUT_SURFACE
#undef RELAYOUT_LIST
