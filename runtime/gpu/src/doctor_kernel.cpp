// SPDX-License-Identifier: Apache-2.0
// `relayout doctor`: lists the GPUs and runs a kernel on the first.
#include "relayout/gpu/doctor_kernel.h"

#include <nlohmann/json.hpp>

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <regex>

namespace relayout::gpu {
namespace {

using Json = nlohmann::ordered_json;

// Reads and writes one float a thread: something for every counter to count.
constexpr const char *kPtx = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry relayoutDoctor(.param .u64 memory)
{
  .reg .u64 %address<3>;
  .reg .u32 %thread;
  .reg .f32 %value;
  ld.param.u64 %address0, [memory];
  cvta.to.global.u64 %address1, %address0;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %address2, %thread, 4;
  add.u64 %address1, %address1, %address2;
  ld.global.f32 %value, [%address1];
  add.f32 %value, %value, 0f3F800000;
  st.global.f32 [%address1], %value;
  ret;
}
)";
constexpr unsigned kThreads = 32;

std::string kernelModuleVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex("[0-9]+\\.[0-9.]*[0-9]")) ? found.str() : "";
}

/// The driver, by the names and types of its C interface.
class Library {
public:
  Library() : handle_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  [[nodiscard]] bool isThere() const { return handle_ != nullptr; }

  /// Calls unless something failed before. CUresult 0 is success.
  template <class... Arguments> void call(const char *name, Arguments... arguments) {
    if (!failure_.empty())
      return;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    const int status = function != nullptr ? function(arguments...) : -1;
    if (status == 0)
      return;
    const char *text = nullptr;
    const auto describe =
        reinterpret_cast<int (*)(int, const char **)>(dlsym(handle_, "cuGetErrorString"));
    if (status > 0 && describe != nullptr)
      describe(status, &text);
    failure_ = std::string(name) + ": " +
               (text != nullptr ? text
                : status < 0    ? "this driver does not have it"
                                : "error " + std::to_string(status));
  }
  [[nodiscard]] const std::string &failure() const { return failure_; }

private:
  void *handle_;
  std::string failure_;
};

void listDevices(Library &cuda, GpuTrial &trial) {
  int count = 0;
  cuda.call("cuDeviceGetCount", &count);
  for (int i = 0; i < count && cuda.failure().empty(); ++i) {
    constexpr int kMajor = 75, kMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
    int device = 0;
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    GpuDevice found;
    cuda.call("cuDeviceGet", &device, i);
    cuda.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device);
    cuda.call("cuDeviceTotalMem_v2", &bytes, device);
    cuda.call("cuDeviceGetAttribute", &found.major, kMajor, device);
    cuda.call("cuDeviceGetAttribute", &found.minor, kMinor, device);
    found.name = name.data();
    found.bytes = bytes;
    trial.devices.push_back(found);
  }
}

void runKernel(Library &cuda) {
  int device = 0;
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  unsigned long long memory = 0;
  cuda.call("cuDeviceGet", &device, 0);
  cuda.call("cuDevicePrimaryCtxRetain", &context, device);
  cuda.call("cuCtxSetCurrent", context);
  cuda.call("cuModuleLoadData", &module, static_cast<const void *>(kPtx));
  cuda.call("cuModuleGetFunction", &kernel, module, "relayoutDoctor");
  cuda.call("cuMemAlloc_v2", &memory, std::size_t{kThreads * sizeof(float)});
  void *arguments[] = {&memory};
  cuda.call("cuLaunchKernel", kernel, 1u, 1u, 1u, kThreads, 1u, 1u, 0u,
            static_cast<void *>(nullptr), static_cast<void **>(arguments),
            static_cast<void **>(nullptr));
  cuda.call("cuCtxSynchronize");
  cuda.call("cuMemFree_v2", memory);
}

} // namespace

GpuTrial tryGpu() {
  GpuTrial trial;
  trial.driver = kernelModuleVersion();
  Library cuda;
  if (!cuda.isThere()) {
    trial.failure = "libcuda.so.1 was not found";
    return trial;
  }
  int version = 0;
  cuda.call("cuInit", 0u);
  cuda.call("cuDriverGetVersion", &version);
  if (version != 0)
    trial.cuda = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  listDevices(cuda, trial);
  if (cuda.failure().empty() && trial.devices.empty())
    trial.failure = "the driver knows no GPU";
  else
    runKernel(cuda);
  if (trial.failure.empty())
    trial.failure = cuda.failure();
  return trial;
}

std::string toJson(const GpuTrial &trial) {
  Json json;
  json["driver"] = trial.driver;
  json["cuda"] = trial.cuda;
  json["devices"] = Json::array();
  for (const GpuDevice &device : trial.devices)
    json["devices"].push_back({{"name", device.name},
                               {"major", device.major},
                               {"minor", device.minor},
                               {"bytes", device.bytes}});
  json["failure"] = trial.failure;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<GpuTrial> gpuTrialFromJson(const std::string &text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  GpuTrial trial;
  trial.driver = json.value("driver", "");
  trial.cuda = json.value("cuda", "");
  for (const Json &device : json.value("devices", Json::array()))
    trial.devices.push_back({device.value("name", ""), device.value("major", 0),
                             device.value("minor", 0), device.value("bytes", std::uint64_t{0})});
  trial.failure = json.value("failure", "");
  return trial;
}

} // namespace relayout::gpu
