// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's calls for memory in three dimensions, as planes of two.
#include "arrays.h"
#include "executor.h"

#include "cuda_runtime_api.h"

#include <cstddef>

namespace relayout::host {
namespace {

std::byte *planeOf(const cudaPitchedPtr &memory, const cudaPos &from, std::size_t plane) {
  return static_cast<std::byte *>(memory.ptr) +
         ((from.z + plane) * memory.ysize + from.y) * memory.pitch + from.x;
}

/// An array as memory of rows; positions in it are in elements.
void useArray(cudaArray *array, cudaPitchedPtr &memory, cudaPos &position) {
  memory = {array->memory.data(), array->pitch(), array->pitch(), array->rows()};
  position.x *= array->elementBytes;
}

bool isInside(const cudaArray *array, const cudaPos &position, const cudaExtent &extent) {
  return array == nullptr || (position.x + extent.width <= array->extent.width &&
                              position.y + extent.height <= array->rows() &&
                              position.z + extent.depth <= array->planes());
}

} // namespace
} // namespace relayout::host

using namespace relayout::host;

extern "C" {

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent) {
  if (memory == nullptr)
    return fail(cudaErrorInvalidValue);
  *memory = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *given) {
  if (given == nullptr || !isInside(given->srcArray, given->srcPos, given->extent) ||
      !isInside(given->dstArray, given->dstPos, given->extent))
    return fail(cudaErrorInvalidValue);
  cudaMemcpy3DParms copy = *given;
  if (const cudaArray *const any = copy.srcArray ? copy.srcArray : copy.dstArray)
    copy.extent.width *= any->elementBytes;
  if (copy.srcArray != nullptr)
    useArray(copy.srcArray, copy.srcPtr, copy.srcPos);
  if (copy.dstArray != nullptr)
    useArray(copy.dstArray, copy.dstPtr, copy.dstPos);
  for (std::size_t plane = 0; plane < copy.extent.depth; ++plane) {
    const cudaError_t status =
        cudaMemcpy2D(planeOf(copy.dstPtr, copy.dstPos, plane), copy.dstPtr.pitch,
                     planeOf(copy.srcPtr, copy.srcPos, plane), copy.srcPtr.pitch, copy.extent.width,
                     copy.extent.height, copy.kind);
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t) {
  return cudaMemcpy3D(copy);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent) {
  for (std::size_t plane = 0; plane < extent.depth; ++plane) {
    const cudaError_t status = cudaMemset2D(planeOf(memory, {0, 0, 0}, plane), memory.pitch, value,
                                            extent.width, extent.height);
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                              cudaStream_t) {
  return cudaMemset3D(memory, value, extent);
}

} // extern "C"
