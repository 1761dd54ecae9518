// SPDX-License-Identifier: Apache-2.0
// GPU tracing and counters: opens CUPTI's library.
#include "cupti_library.h"

#include <cupti_version.h>

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

namespace relayout::gpu {

std::string cuptiLibraryName() {
  return "libcupti.so." + std::to_string(CUPTI_API_VERSION / 10000);
}

void *openCuptiLibrary() {
  std::vector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      roots.emplace_back(root);
  roots.emplace_back("/usr/local/cuda");
  std::vector<std::string> paths = {cuptiLibraryName()};
  for (const std::string &root : roots)
    for (const char *folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
      paths.push_back(root + folder + cuptiLibraryName());
  for (const std::string &path : paths)
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

} // namespace relayout::gpu
