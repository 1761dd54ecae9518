// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's calls for memory in three dimensions, as planes of two.
#include "executor.h"

#include "cuda_runtime_api.h"

#include <cstddef>

namespace relayout::host {
namespace {

std::byte *planeOf(const cudaPitchedPtr &memory, const cudaPos &from, std::size_t plane) {
  return static_cast<std::byte *>(memory.ptr) +
         ((from.z + plane) * memory.ysize + from.y) * memory.pitch + from.x;
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

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy) {
  // Arrays do not exist here, so none can be given.
  if (copy == nullptr || copy->srcArray != nullptr || copy->dstArray != nullptr)
    return fail(cudaErrorInvalidValue);
  for (std::size_t plane = 0; plane < copy->extent.depth; ++plane) {
    const cudaError_t status =
        cudaMemcpy2D(planeOf(copy->dstPtr, copy->dstPos, plane), copy->dstPtr.pitch,
                     planeOf(copy->srcPtr, copy->srcPos, plane), copy->srcPtr.pitch,
                     copy->extent.width, copy->extent.height, copy->kind);
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
