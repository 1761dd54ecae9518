// SPDX-License-Identifier: Apache-2.0
// Where the integers come from that functions are called with: extents of arrays above all.
#pragma once

#include "coordinates/function_body.h"
#include "pass/callers.h"
#include "pass/program.h"

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayout::rewriter {

/// A number, a variable, or a member of a variable that is a record. Two that are equal have the
/// same value wherever the same activation of the variable's scope is meant.
struct HostValue {
  const clang::VarDecl *variable = nullptr; ///< null: a number
  const clang::FieldDecl *member = nullptr;
  std::int64_t number = 0;

  bool operator==(const HostValue &) const = default;
};

class HostValues {
public:
  explicit HostValues(const Program &program) : program_(program), callers_(program) {}

  /// What an expression's value is, behind parameters and copies; nothing where that is not known.
  /// \param from  where it is computed, in `around`
  [[nodiscard]] std::optional<HostValue>
  of(const clang::Expr &expression, const clang::FunctionDecl &around, const clang::Stmt &from);

  /// Where all calls pass one value, that; else the parameter itself, if it never changes.
  [[nodiscard]] std::optional<HostValue> ofParameter(const clang::ParmVarDecl &parameter,
                                                     const clang::FunctionDecl &function);

  /// A factor of an extent, as the program writes it where it allocates, or calls what does.
  [[nodiscard]] std::optional<HostValue> ofText(const std::string &factor,
                                                const Callers::Call &allocation);

  /// True where no array of a group lives longer than the value: it has one in a run of the
  /// program, or the pointers to the arrays are local to its scope.
  [[nodiscard]] bool outlives(const HostValue &value, const instrument::ArrayGroup &group);

  [[nodiscard]] const FunctionBody &bodyOf(const clang::FunctionDecl &function);

private:
  [[nodiscard]] std::optional<HostValue> ofVariable(const clang::VarDecl &variable,
                                                    const clang::FunctionDecl &around,
                                                    const clang::Stmt &from);
  [[nodiscard]] std::optional<HostValue> ofCalls(unsigned position,
                                                 const clang::FunctionDecl &function);

  const Program &program_;
  const Callers callers_;
  std::map<const clang::FunctionDecl *, std::unique_ptr<FunctionBody>> bodies_;
  int depth_ = 0;
};

} // namespace relayout::rewriter
