// SPDX-License-Identifier: Apache-2.0
// Refuses traces that say nothing of layouts.
#include "no_record_accessed.h"

namespace relayout::analysis {

tl::unexpected<Error> noRecordAccessed(const trace::Trace &trace) {
  if (trace.machine.kind == trace::kEndedCpu)
    return fail(Code::NoRecordAccessed,
                "the traced run was stopped before any kernel accessed an array of records or "
                "numbers in memory that CUDA allocates, so there is no layout to choose; "
                "arguments of a smaller run may get there");
  return fail(Code::NoRecordAccessed,
              "no kernel of the traced run accessed an array of records or numbers in "
              "memory that CUDA allocates, so there is no layout to choose");
}

} // namespace relayout::analysis
