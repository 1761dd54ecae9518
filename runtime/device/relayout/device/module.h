// SPDX-License-Identifier: Apache-2.0
// GPU tracing: how an instrumented module makes itself known to librelayout_gpu.so.
#pragma once

namespace relayout::device {

/// One a translation unit, with static storage.
struct Module {
  const char *siteTableJson;
  /// Device address of the module's Control in the current context; 0 where there is none.
  unsigned long long (*controlAddress)();
};

} // namespace relayout::device

#define RELAYOUT_EXPORTED __attribute__((visibility("default")))

extern "C" {
/// Called before main(). Does nothing unless a trace is asked for.
RELAYOUT_EXPORTED void relayoutGpuRegister(relayout::device::Module *module);
/// Readies the modules in the current context, if that is not done; the launch hooks call it where
/// CUPTI cannot.
RELAYOUT_EXPORTED void relayoutGpuArm(void);
}

#undef RELAYOUT_EXPORTED
