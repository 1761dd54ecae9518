// SPDX-License-Identifier: Apache-2.0
// What is called instead of cudaMalloc and cudaFree, and staging memory.
#include "header/allocation_functions.h"

namespace relayout::rewriter {

std::string allocationFunction(const MemoryText &header, bool async) {
  const std::string tooMany = header.storage.tooMany();
  return header.filled(
      "/// cudaMalloc@async@ of bytes / sizeof(@record@) elements.\n"
      "@inline@ cudaError_t @lower@Malloc@async@(@view@ *view, std::size_t "
      "bytes@extents@@streamParameter@) {\n" +
          std::string(header.storage.extentParameters().empty()
                          ? ""
                          : "  if (bytes == 0) {\n    *view = nullptr;\n    return "
                            "cudaSuccess;\n  }\n") +
          "  const std::size_t count = (bytes + sizeof(@record@) - 1) / sizeof(@record@);\n" +
          (tooMany.empty()
               ? "  if (bytes >> 48 != 0)\n"
                 "    return cudaErrorMemoryAllocation; // and no sum of planes overflows\n"
               : "  if (bytes >> 48 != 0 || " + tooMany +
                     ")\n    return cudaErrorMemoryAllocation; // elements are numbered in 32 "
                     "bits\n") +
          R"(  @view@ array;
  void *memory = nullptr;
  const cudaError_t status = cudaMalloc@async@(&memory, array.placeAt(0, count@givenExtents@)@stream@);
  if (status == cudaSuccess) {
    array.placeAt(reinterpret_cast<std::size_t>(memory), count@givenExtents@);
    *view = array;
  }
  return status;
}

)",
      async);
}

std::string releaseFunction(const MemoryText &header, bool async) {
  const bool keeps =
      !async && (header.needs(ViewOperation::CopyIn) || header.needs(ViewOperation::CopyOut));
  return header.filled("/// cudaFree@async@ of what @lower@Malloc@async@ gave" +
                           std::string(keeps ? ", and of the staging memory" : "") +
                           ".\n@inline@ cudaError_t @lower@Free@async@(@view@ "
                           "view@streamParameter@) {\n" +
                           (keeps ? "  @record@ *staging = nullptr;\n"
                                    "  const cudaError_t status = @lower@Staging(&staging, 0);\n"
                                    "  const cudaError_t freed = cudaFree(view.allocation());\n"
                                    "  return status != cudaSuccess ? status : freed;\n}\n\n"
                                  : "  return cudaFree@async@(view.allocation()@stream@);\n}\n\n"),
                       async);
}

std::string stagingFunction(const MemoryText &header) {
  return header.filled(
      R"(/// Device memory for records on the way, kept for the next copy; 0 bytes give it back.
@inline@ cudaError_t @lower@Staging(@record@ **staging, std::size_t bytes) {
  static thread_local void *kept = nullptr;
  static thread_local std::size_t keptBytes = 0;
  static thread_local int keptOn = 0;
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess && (bytes == 0 || bytes > keptBytes || device != keptOn)) {
    status = cudaFree(kept);
    kept = nullptr;
    if (status == cudaSuccess && bytes != 0)
      status = cudaMalloc(&kept, bytes);
    keptBytes = kept ? bytes : 0;
    keptOn = device;
  }
  *staging = static_cast<@record@ *>(kept);
  return status;
}

)",
      false);
}

} // namespace relayout::rewriter
