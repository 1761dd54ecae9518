// SPDX-License-Identifier: Apache-2.0
// GPU tracing and counters: opens CUPTI's library.
#include "cupti_library.h"

#include <cupti_version.h>

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

namespace relayout::gpu {

void *openCuptiLibrary(std::string &why) {
  const std::string name = "libcupti.so." + std::to_string(CUPTI_API_VERSION / 10000);
  std::vector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      roots.emplace_back(root);
  roots.emplace_back("/usr/local/cuda");
  std::vector<std::string> paths = {name};
  for (const std::string &root : roots)
    for (const char *folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
      paths.push_back(root + folder + name);
  for (const std::string &path : paths)
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
  why =
      name + " was found neither by the loader nor below CUDA_HOME, CUDA_PATH and /usr/local/cuda";
  return nullptr;
}

std::string describeCuptiError(CUptiResult error, const char *name) {
  const std::string text = name != nullptr ? name : "error " + std::to_string(error) + " of CUPTI";
  switch (error) {
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return text + ": the driver keeps counters for administrators; run as root, or load the nvidia "
                  "module with NVreg_RestrictProfilingToAdminUsers=0";
  case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    return text + ": another profiler or a sanitizer is in this process; run without it";
  case CUPTI_ERROR_HARDWARE_BUSY:
    return text + ": another process counts on this GPU; wait for its end";
  case CUPTI_ERROR_NOT_SUPPORTED:
    return text + ": this GPU cannot; it needs compute capability 7.5 or later";
  default:
    return text;
  }
}

} // namespace relayout::gpu
