// SPDX-License-Identifier: Apache-2.0
// A trace that was read: what stages pass on, instead of a file's name to read again.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <functional>
#include <memory>
#include <string>

namespace relayout::trace {

/// Calls back for each recorded warp access, in order, until the callback returns false.
using AccessSource =
    std::function<Result<void>(const std::function<bool(const WarpAccess &)> &callback)>;

/// All of a trace but its warp accesses, which are too many for memory and are read from their
/// source whenever they are asked for. Copies share what was read.
class TraceHandle {
public:
  TraceHandle(Trace trace, AccessSource accesses)
      : trace_(std::make_shared<const Trace>(std::move(trace))), accesses_(std::move(accesses)) {}

  /// \error as readTrace
  [[nodiscard]] static Result<TraceHandle> open(const std::string &path);

  const Trace &operator*() const { return *trace_; }
  const Trace *operator->() const { return trace_.get(); }

  [[nodiscard]] const AccessSource &accesses() const { return accesses_; }
  /// Empty where the trace is not of a file.
  [[nodiscard]] const std::string &path() const { return path_; }

  /// \error RL-T04 the traced program did not end in order
  [[nodiscard]] Result<void> requireComplete() const;

private:
  std::shared_ptr<const Trace> trace_;
  AccessSource accesses_;
  std::string path_;
};

} // namespace relayout::trace
