// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's calls for arrays, texture and surface objects. Arrays lie in rows,
// without padding, in memory of their own.
#include "executor.h"
#include "handles.h"

#include "arrays.h"
#include "cuda_runtime_api.h"

#include <new>

namespace relayout::host {
namespace {

bool isFormat(const cudaChannelFormatDesc &format) {
  const bool isUniform = (format.y == 0 || format.y == format.x) &&
                         (format.z == 0 || format.z == format.x) &&
                         (format.w == 0 || format.w == format.x);
  return isUniform && (format.x == 8 || format.x == 16 || format.x == 32) &&
         (format.f == cudaChannelFormatKindFloat ? format.x != 8
                                                 : format.f != cudaChannelFormatKindNone);
}

int componentsOf(const cudaChannelFormatDesc &format) {
  return 1 + (format.y != 0) + (format.z != 0) + (format.w != 0);
}

void setFormat(Texture &texture, const cudaChannelFormatDesc &format) {
  texture.bits = format.x;
  texture.components = componentsOf(format);
  texture.kind = format.f;
}

/// Whether a range of rows lies in the array; the offset is in bytes.
bool isInside(const cudaArray *array, std::size_t x, std::size_t y, std::size_t width,
              std::size_t height) {
  return array != nullptr && x + width <= array->pitch() &&
         y + height <= array->rows() * array->planes();
}

} // namespace
} // namespace relayout::host

using namespace relayout::host;

extern "C" {

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags) {
  if (array == nullptr || format == nullptr || !isFormat(*format) || extent.width == 0 ||
      (flags & ~static_cast<unsigned int>(cudaArraySurfaceLoadStore | cudaArrayLayered |
                                          cudaArrayCubemap)) != 0)
    return fail(cudaErrorInvalidValue);
  if ((flags & cudaArrayCubemap) != 0 && (extent.width != extent.height || extent.depth % 6 != 0))
    return fail(cudaErrorInvalidValue);
  auto made = std::make_unique<cudaArray>();
  made->format = *format;
  made->extent = extent;
  made->flags = flags;
  made->elementBytes =
      static_cast<std::size_t>(format->x / 8) * static_cast<std::size_t>(componentsOf(*format));
  made->memory.resize(made->pitch() * made->rows() * made->planes());
  *array = Handles<cudaArray>::instance().add(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  // As free() does, it takes a null pointer.
  return array == nullptr || destroyHandle(array) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array) {
  if (format == nullptr || array == nullptr)
    return fail(cudaErrorInvalidValue);
  *format = array->format;
  return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
  if (array == nullptr)
    return fail(cudaErrorInvalidValue);
  if (format != nullptr)
    *format = array->format;
  if (extent != nullptr)
    *extent = array->extent;
  if (flags != nullptr)
    *flags = array->flags;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (!isInside(to, x, y, width, height))
    return fail(cudaErrorInvalidValue);
  return cudaMemcpy2D(to->at(x, y), to->pitch(), from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (!isInside(from, x, y, width, height))
    return fail(cudaErrorInvalidValue);
  return cudaMemcpy2D(to, pitch, from->at(x, y), from->pitch(), width, height, kind);
}

/// Bytes that run on from row to row.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
  if (to == nullptr || y * to->pitch() + x + bytes > to->memory.size())
    return fail(cudaErrorInvalidValue);
  return cudaMemcpy(to->at(x, y), from, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
  if (from == nullptr || y * from->pitch() + x + bytes > from->memory.size())
    return fail(cudaErrorInvalidValue);
  return cudaMemcpy(to, from->at(x, y), bytes, kind);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *as,
                                    const struct cudaResourceViewDesc *view) {
  if (object == nullptr || resource == nullptr || as == nullptr || view != nullptr)
    return fail(cudaErrorInvalidValue);
  Texture texture;
  texture.as = *as;
  texture.resource = *resource;
  cudaChannelFormatDesc format{};
  switch (resource->resType) {
  case cudaResourceTypeLinear: {
    const auto &linear = resource->res.linear;
    format = linear.desc;
    texture.memory = static_cast<const unsigned char *>(linear.devPtr);
    if (isFormat(format))
      texture.width =
          linear.sizeInBytes / static_cast<std::size_t>(format.x / 8 * componentsOf(format));
    break;
  }
  case cudaResourceTypePitch2D: {
    const auto &rows = resource->res.pitch2D;
    format = rows.desc;
    texture.memory = static_cast<const unsigned char *>(rows.devPtr);
    texture.width = rows.width;
    texture.height = rows.height;
    texture.pitch = rows.pitchInBytes;
    break;
  }
  case cudaResourceTypeArray: {
    const cudaArray *const array = resource->res.array.array;
    if (array == nullptr)
      return fail(cudaErrorInvalidValue);
    format = array->format;
    texture.memory = array->memory.data();
    texture.width = array->extent.width;
    texture.height = array->rows();
    texture.depth = array->planes();
    texture.pitch = array->pitch();
    break;
  }
  case cudaResourceTypeMipmappedArray:
    return fail(cudaErrorNotSupported);
  }
  if (!isFormat(format) || texture.memory == nullptr || texture.width == 0)
    return fail(cudaErrorInvalidValue);
  // Values of 32-bit integers are neither filtered nor normalized.
  const bool isInteger = format.f != cudaChannelFormatKindFloat;
  if (as->filterMode == cudaFilterModeLinear && isInteger &&
      as->readMode != cudaReadModeNormalizedFloat)
    return fail(cudaErrorInvalidFilterSetting);
  if (as->readMode == cudaReadModeNormalizedFloat && isInteger && format.x == 32)
    return fail(cudaErrorInvalidNormSetting);
  setFormat(texture, format);
  *object = reinterpret_cast<cudaTextureObject_t>(makeHandle(texture));
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return object == 0 || destroyHandle(reinterpret_cast<const Texture *>(object))
             ? cudaSuccess
             : fail(cudaErrorInvalidValue);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource) {
  if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray ||
      resource->res.array.array == nullptr)
    return fail(cudaErrorInvalidValue);
  cudaArray *const array = resource->res.array.array;
  Surface surface;
  surface.memory = array->memory.data();
  surface.pitch = array->pitch();
  surface.height = array->rows();
  surface.depth = array->planes();
  surface.resource = *resource;
  *object = reinterpret_cast<cudaSurfaceObject_t>(makeHandle(surface));
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return object == 0 || destroyHandle(reinterpret_cast<const Surface *>(object))
             ? cudaSuccess
             : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object) {
  if (resource == nullptr || object == 0)
    return fail(cudaErrorInvalidValue);
  *resource = reinterpret_cast<const Surface *>(object)->resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object) {
  if (resource == nullptr || object == 0)
    return fail(cudaErrorInvalidValue);
  *resource = reinterpret_cast<const Texture *>(object)->resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *as,
                                            cudaTextureObject_t object) {
  if (as == nullptr || object == 0)
    return fail(cudaErrorInvalidValue);
  *as = reinterpret_cast<const Texture *>(object)->as;
  return cudaSuccess;
}

} // extern "C"
