// SPDX-License-Identifier: Apache-2.0
// What Clang finds wrong in one parse of a unit, and what of it nvcc takes: that is read again.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>

#include <vector>

namespace relayout::instrument {

struct ParseFaults {
  std::vector<Note> errors;
  /// Names in declarations of a function that differ in execution space alone, as a member and its
  /// specialisation out of line may, and of functions of the device's that host code calls.
  std::vector<clang::SourceLocation> differing;
  /// Calls of functions for the other side. nvcc minds them only in a function that it compiles,
  /// which it does not do with members and inline functions that nothing calls.
  std::vector<clang::SourceLocation> ofOtherSide;
  /// Functions for the host that device code calls: nvcc, which compiles that code with
  /// __CUDA_ARCH__ defined, may find them to be for the device.
  std::vector<clang::SourceLocation> calledByDevice;
  /// Arrays of variable length with start values, which GCC takes.
  std::vector<clang::SourceLocation> arraysWithValues;
  /// Names in templates of functions that nothing calls, as a template is whose arguments are read
  /// as comparisons.
  std::vector<clang::SourceLocation> uncalled;
  /// Names in templates: of templates in classes that depend on parameters, and of members of base
  /// classes that do. Both lack a word in front that says so.
  std::vector<clang::SourceLocation> unsaidTemplates, unsaidMembers;
  /// Pointers to arrays of variable length that start with a cast to their own type, whose lengths
  /// GCC does not compare.
  std::vector<clang::SourceLocation> castToOwnType;
  /// A shared variable has a class whose constructor does something; nvcc does not call it.
  bool sharedIsInitialised = false;
  /// A function has `auto` for a parameter's type, which GCC takes before C++20 as well.
  bool takesAuto = false;
};

/// Collects Clang's errors as notes of ours; warnings about the user's code are not our business.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  ErrorCollector(ParseFaults &faults, Pass pass) : faults_(faults), pass_(pass) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

private:
  ParseFaults &faults_;
  Pass pass_;
  bool lastDiffers_ = false;       ///< notes of the last error name the other declarations
  bool lastSpecialises_ = false;   ///< the last error is of a specialisation, for device code
  clang::SourceLocation lastCall_; ///< of the last error, if no function was viable
};

/// For a unit of an earlier standard that has such functions.
inline constexpr const char *kWithAutoParameters = "-std=gnu++20";

/// For the preprocessor: shared variables are marked by a name instead of Clang's attribute, which
/// asks for empty constructors.
inline constexpr const char *kSharedByName = "-DRELAYOUT_SHARED_BY_NAME";

/// Gives the variables that a parse with kSharedByName marked what Clang's attribute gives them.
void shareNamedVariables(clang::ASTContext &ast);

} // namespace relayout::instrument
