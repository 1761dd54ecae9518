// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: reads through texture objects, filtered as a GPU does with
// weights of 8 fractional bits.
#pragma once
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "texture_types.h"

#include "relayout/half/format.h"

namespace relayout::host::detail {

template <class T> struct TexelOf {
  using Component = T;
  static constexpr int kComponents = 1;
};
#define RELAYOUT_TEXELS(name, Scalar)                                                              \
  template <> struct TexelOf<name##1> {                                                            \
    using Component = Scalar;                                                                      \
    static constexpr int kComponents = 1;                                                          \
  };                                                                                               \
  template <> struct TexelOf<name##2> {                                                            \
    using Component = Scalar;                                                                      \
    static constexpr int kComponents = 2;                                                          \
  };                                                                                               \
  template <> struct TexelOf<name##4> {                                                            \
    using Component = Scalar;                                                                      \
    static constexpr int kComponents = 4;                                                          \
  };
RELAYOUT_TEXELS(char, signed char)
RELAYOUT_TEXELS(uchar, unsigned char)
RELAYOUT_TEXELS(short, short)
RELAYOUT_TEXELS(ushort, unsigned short)
RELAYOUT_TEXELS(int, int)
RELAYOUT_TEXELS(uint, unsigned int)
RELAYOUT_TEXELS(float, float)
#undef RELAYOUT_TEXELS

/// A component as the texture's format has it: integers as they are, or their part of 1.
template <class T>
__device__ inline T componentOf(const Texture &texture, const unsigned char *at) {
  const bool isNormalized = texture.as.readMode == cudaReadModeNormalizedFloat;
  const auto integer = [&](auto value, double most) {
    __builtin_memcpy(&value, at, sizeof value);
    if (!isNormalized)
      return static_cast<T>(value);
    const double part = static_cast<double>(value) / most;
    return static_cast<T>(part < -1 ? -1.0 : part);
  };
  if (texture.kind == cudaChannelFormatKindFloat) {
    if (texture.bits == 16) {
      unsigned short half;
      __builtin_memcpy(&half, at, sizeof half);
      return static_cast<T>(relayout::half::Format<5>::decode(half));
    }
    float value;
    __builtin_memcpy(&value, at, sizeof value);
    return static_cast<T>(value);
  }
  const bool isSigned = texture.kind == cudaChannelFormatKindSigned;
  switch (texture.bits) {
  case 8:
    return isSigned ? integer(static_cast<signed char>(0), 127)
                    : integer(static_cast<unsigned char>(0), 255);
  case 16:
    return isSigned ? integer(static_cast<short>(0), 32767)
                    : integer(static_cast<unsigned short>(0), 65535);
  default:
    return isSigned ? integer(0, 1) : integer(0u, 1);
  }
}

/// Where a coordinate's element is; false where the border is read instead.
__device__ inline bool placeIn(long long at, size_t size, cudaTextureAddressMode mode,
                               size_t &place) {
  const long long count = static_cast<long long>(size);
  if (at >= 0 && at < count) {
    place = static_cast<size_t>(at);
    return true;
  }
  switch (mode) {
  case cudaAddressModeBorder:
    return false;
  case cudaAddressModeWrap:
    place = static_cast<size_t>((at % count + count) % count);
    return true;
  case cudaAddressModeMirror: {
    const long long in = (at % (2 * count) + 2 * count) % (2 * count);
    place = static_cast<size_t>(in < count ? in : 2 * count - 1 - in);
    return true;
  }
  case cudaAddressModeClamp:
    break;
  }
  place = at < 0 ? 0 : size - 1;
  return true;
}

template <class T> struct Fetch {
  using Component = typename TexelOf<T>::Component;
  const Texture &texture;
  int dimensions;
  size_t layer = 0;

  __device__ cudaTextureAddressMode mode(int dimension) const {
    const cudaTextureAddressMode asked = texture.as.addressMode[dimension];
    // Only normalized coordinates can be repeated.
    return !texture.as.normalizedCoords &&
                   (asked == cudaAddressModeWrap || asked == cudaAddressModeMirror)
               ? cudaAddressModeClamp
               : asked;
  }

  __device__ Component element(const long long (&at)[3], int component) const {
    if (component >= texture.components)
      return Component(0);
    const size_t sizes[3] = {texture.width, texture.height, texture.depth};
    size_t place[3] = {0, 0, layer};
    for (int i = 0; i < dimensions; ++i)
      if (!placeIn(at[i], sizes[i], mode(i), place[i]))
        return static_cast<Component>(texture.as.borderColor[component]);
    return componentOf<Component>(
        texture, texture.memory + (place[2] * texture.height + place[1]) * texture.pitch +
                     (place[0] * texture.components + component) * (texture.bits / 8));
  }

  __device__ Component filtered(const float (&coordinates)[3], int component) const {
    const size_t sizes[3] = {texture.width, texture.height, texture.depth};
    const bool isLinear = texture.as.filterMode == cudaFilterModeLinear;
    long long at[3] = {0, 0, 0};
    float weights[3] = {0, 0, 0};
    for (int i = 0; i < dimensions; ++i) {
      float scaled = coordinates[i];
      if (texture.as.normalizedCoords)
        scaled *= static_cast<float>(sizes[i]);
      if (isLinear)
        scaled -= 0.5f;
      const float whole = __builtin_floorf(scaled);
      // Beyond this all modes but wrapping are at the end, and floats are whole anyway.
      at[i] = static_cast<long long>(whole < -1e15f ? -1e15f : whole > 1e15f ? 1e15f : whole);
      weights[i] = __builtin_rintf((scaled - whole) * 256) / 256;
    }
    if (!isLinear)
      return element(at, component);
    float sum = 0;
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
      long long place[3] = {at[0], at[1], at[2]};
      float weight = 1;
      for (int i = 0; i < dimensions; ++i) {
        const bool isUpper = (corner >> i & 1) != 0;
        place[i] += isUpper;
        weight *= isUpper ? weights[i] : 1 - weights[i];
      }
      if (weight != 0)
        sum += weight * static_cast<float>(element(place, component));
    }
    return static_cast<Component>(sum);
  }

  template <class Read> __device__ static T each(Read read) {
    Component components[TexelOf<T>::kComponents];
    for (int i = 0; i < TexelOf<T>::kComponents; ++i)
      components[i] = read(i);
    T value;
    __builtin_memcpy(&value, components, sizeof value);
    return value;
  }
};

template <class T>
__device__ inline T texel(cudaTextureObject_t object, int dimensions, float x, float y, float z) {
  const Fetch<T> fetch{*reinterpret_cast<const Texture *>(object), dimensions};
  const float coordinates[3] = {x, y, z};
  return Fetch<T>::each([&](int i) { return fetch.filtered(coordinates, i); });
}

/// Layers beyond the last one are the last one's.
template <class T>
__device__ inline T layerTexel(cudaTextureObject_t object, int dimensions, float x, float y,
                               int layer) {
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  size_t place = 0;
  placeIn(layer, texture.depth, cudaAddressModeClamp, place);
  const Fetch<T> fetch{texture, dimensions, place};
  const float coordinates[3] = {x, y, 0};
  return Fetch<T>::each([&](int i) { return fetch.filtered(coordinates, i); });
}

/// In which face of a cube a direction ends, and where there (CUDA Programming Guide, Cubemap
/// Textures); filters do not cross the edges.
template <class T>
__device__ inline T cubeTexel(cudaTextureObject_t object, float x, float y, float z, int cube) {
  const float sizes[3] = {__builtin_fabsf(x), __builtin_fabsf(y), __builtin_fabsf(z)};
  int face;
  float s, t, most;
  if (sizes[0] >= sizes[1] && sizes[0] >= sizes[2]) {
    face = x >= 0 ? cudaGraphicsCubeFacePositiveX : cudaGraphicsCubeFaceNegativeX;
    s = x >= 0 ? -z : z;
    t = -y;
    most = sizes[0];
  } else if (sizes[1] >= sizes[2]) {
    face = y >= 0 ? cudaGraphicsCubeFacePositiveY : cudaGraphicsCubeFaceNegativeY;
    s = x;
    t = y >= 0 ? z : -z;
    most = sizes[1];
  } else {
    face = z >= 0 ? cudaGraphicsCubeFacePositiveZ : cudaGraphicsCubeFaceNegativeZ;
    s = z >= 0 ? x : -x;
    t = -y;
    most = sizes[2];
  }
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  const float unit = texture.as.normalizedCoords ? 1 : static_cast<float>(texture.width);
  return layerTexel<T>(object, 2, (s / most + 1) / 2 * unit, (t / most + 1) / 2 * unit,
                       6 * cube + face);
}

} // namespace relayout::host::detail

/// Of linear memory; what lies outside is zero.
template <class T> __device__ inline T tex1Dfetch(cudaTextureObject_t object, int x) {
  using namespace relayout::host;
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  const detail::Fetch<T> fetch{texture, 1};
  const long long at[3] = {x, 0, 0};
  return detail::Fetch<T>::each([&](int i) {
    using Component = typename detail::Fetch<T>::Component;
    const bool isInside = x >= 0 && static_cast<size_t>(x) < texture.width;
    return isInside ? fetch.element(at, i) : Component(0);
  });
}
template <class T> __device__ inline T tex1D(cudaTextureObject_t object, float x) {
  return relayout::host::detail::texel<T>(object, 1, x, 0, 0);
}
template <class T> __device__ inline T tex2D(cudaTextureObject_t object, float x, float y) {
  return relayout::host::detail::texel<T>(object, 2, x, y, 0);
}
template <class T>
__device__ inline T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return relayout::host::detail::texel<T>(object, 3, x, y, z);
}
template <class T>
__device__ inline T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  return relayout::host::detail::layerTexel<T>(object, 1, x, 0, layer);
}
template <class T>
__device__ inline T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  return relayout::host::detail::layerTexel<T>(object, 2, x, y, layer);
}
template <class T>
__device__ inline T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return relayout::host::detail::cubeTexel<T>(object, x, y, z, 0);
}
template <class T>
__device__ inline T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z,
                                      int layer) {
  return relayout::host::detail::cubeTexel<T>(object, x, y, z, layer);
}
template <class T> __device__ inline void tex1Dfetch(T *value, cudaTextureObject_t object, int x) {
  *value = tex1Dfetch<T>(object, x);
}
template <class T> __device__ inline void tex1D(T *value, cudaTextureObject_t object, float x) {
  *value = tex1D<T>(object, x);
}
template <class T>
__device__ inline void tex2D(T *value, cudaTextureObject_t object, float x, float y) {
  *value = tex2D<T>(object, x, y);
}
template <class T>
__device__ inline void tex3D(T *value, cudaTextureObject_t object, float x, float y, float z) {
  *value = tex3D<T>(object, x, y, z);
}
template <class T>
__device__ inline void tex1DLayered(T *value, cudaTextureObject_t object, float x, int layer) {
  *value = tex1DLayered<T>(object, x, layer);
}
template <class T>
__device__ inline void tex2DLayered(T *value, cudaTextureObject_t object, float x, float y,
                                    int layer) {
  *value = tex2DLayered<T>(object, x, y, layer);
}
template <class T>
__device__ inline void texCubemap(T *value, cudaTextureObject_t object, float x, float y, float z) {
  *value = texCubemap<T>(object, x, y, z);
}
template <class T>
__device__ inline void texCubemapLayered(T *value, cudaTextureObject_t object, float x, float y,
                                         float z, int layer) {
  *value = texCubemapLayered<T>(object, x, y, z, layer);
}
