// SPDX-License-Identifier: Apache-2.0
// Opens trace files.
#include "relayout/trace/trace_handle.h"

#include "relayout/trace/reader.h"

namespace relayout::trace {

Result<TraceHandle> TraceHandle::open(const std::string &path) {
  Result<Trace> trace = readTrace(path);
  if (!trace)
    return tl::unexpected(trace.error());
  TraceHandle handle(std::move(*trace),
                     [path](const auto &callback) { return forEachAccess(path, callback); });
  handle.path_ = path;
  return handle;
}

Result<void> TraceHandle::requireComplete() const {
  if (!path_.empty() || trace_->complete)
    return trace::requireComplete(*trace_, path_);
  return fail(Code::IncompleteTrace,
              "the trace is incomplete: the traced program did not end in order");
}

} // namespace relayout::trace
