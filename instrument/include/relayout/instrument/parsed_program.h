// SPDX-License-Identifier: Apache-2.0
// A program's units as Clang reads them: stages that look at the same text share one parse.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

class ArrayFlow;
class ParsedUnit;
enum class Pass;

/// A struct with pointers of which some object holds device memory, and some other the host's; or
/// a function, `name()`, that is called with pointers to either. Or the class that stands for the
/// Thrust vectors of a record, or the classes that stand for its spans.
struct SharedHolder {
  std::string name;
  /// Of the second type, for device memory, or of the function's copy for other memory; empty:
  /// there is none.
  std::string deviceName;
  SourcePlace place;
  std::set<std::string> fields; ///< pointers to both kinds of memory
  std::string obstacle;         ///< why they have one form; empty where they have two
  SourcePlace obstaclePlace;
  std::string vectorsOf = {};     ///< the record; empty: it is no vector's
  bool hasDevicePointers = false; ///< `thrust::device_ptr` to such records are read as pointers
  /// The names of copies that may have the function's own, where their parameters differ.
  std::set<std::string> overloads = {};
  std::string spansOf = {}; ///< as vectorsOf, of spans: the second class is of const elements
  std::set<std::string> splitAfter = {}; ///< structs without whose second types it has none

  /// A class that is read in the place of one of a library's.
  [[nodiscard]] bool standsForLibrary() const { return !vectorsOf.empty() || !spansOf.empty(); }
};

/// Each pass of a unit is parsed once, when a stage first asks for it, and kept as long as a copy
/// of this object is.
class ParsedProgram {
public:
  using Units = std::vector<std::shared_ptr<ParsedUnit>>;

  ParsedProgram(Program program);     // NOLINT: stages that share nothing are given a program
  ParsedProgram(CompileCommand unit); // NOLINT: or one of one unit
  ~ParsedProgram();
  ParsedProgram(const ParsedProgram &);
  ParsedProgram &operator=(const ParsedProgram &);

  [[nodiscard]] const Program &program() const;

  /// In the program's order. In the device pass null for units that look the same in both: those
  /// whose text does not ask for __CUDA_ARCH__.
  /// \error RL-C01, RL-C02, RL-C05 as parse(), of the first unit that has one
  [[nodiscard]] Result<const Units *> units(Pass pass) const;

  /// Structs whose objects in device memory are of a type of their own in units(), which has
  /// succeeded, functions that have a copy for the host's memory, and those of which it was tried.
  [[nodiscard]] const std::vector<SharedHolder> &sharedHolders() const;

  /// The same program, where nothing has two forms but these, by the name it has on disk.
  [[nodiscard]] ParsedProgram withHolders(std::set<std::string> split) const;
  /// The same program, where these functions, `update()`, and those that they call may have copies
  /// for what is given to their references, as functions have for what their pointers are given,
  /// and where these methods, `Body::advance()`, may become functions that are given their objects,
  /// and these macros, `AT`, or single uses of macros, `DEFINE_MEMORY(Body, bodies)`, are written
  /// out.
  [[nodiscard]] ParsedProgram withCopies(std::set<std::string> functions) const;
  /// The program as it is on disk.
  [[nodiscard]] ParsedProgram asWritten() const { return withHolders({}); }

  /// The flow of arrays through units(pass), which has succeeded; of units that are null there,
  /// as the host pass shows them.
  [[nodiscard]] const std::vector<ArrayFlow> &flows(Pass pass) const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace relayout::instrument
