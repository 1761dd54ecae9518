// SPDX-License-Identifier: Apache-2.0
// Makes a traced program say how it writes the extents of what it allocates, and their values; and,
// where it calls functions that allocate, which names the extents have there.
#pragma once

#include "model/program_reader.h"

#include <functional>
#include <string>
#include <string_view>

namespace relayout::instrument {

/// What the runtime of the traced program calls the functions that take the notes.
struct NotingCalls {
  /// A class that is constructed with a list of extents, and lives as long as a call.
  std::string_view callers;
  /// The call in front of an allocation; empty where nothing is to be noted.
  /// \param lists  of extents, two arguments: those that lead to factors of the array's subscripts,
  ///               the nearest first, and others; empty where nothing is known
  std::function<std::string(const FoundMemoryCall &allocation, const std::string &lists)>
      allocation;
};

/// Does nothing in units in C.
void noteExtents(UnitReading &unit, const NotingCalls &calls);

} // namespace relayout::instrument
