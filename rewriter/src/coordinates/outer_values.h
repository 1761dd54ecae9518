// SPDX-License-Identifier: Apache-2.0
// What members and global variables are given, all over a program: where that is one value, each
// object has it, and every place that reads it.
#pragma once

#include "pass/callers.h"

#include <map>
#include <set>
#include <vector>

namespace relayout::rewriter {

class OuterValues {
public:
  struct Written {
    const clang::Expr *value = nullptr;
    const clang::FunctionDecl *around = nullptr; ///< null at file scope
  };
  struct Writes {
    std::vector<Written> all;
    bool areKnown = true; ///< false where something else may write as well
  };

  OuterValues(const Program &program, const Callers &callers);

  /// What a member of integer type is given, in whichever object, or a global variable but for the
  /// zero that it starts with. A member that an object lacks a value for is not known.
  [[nodiscard]] const Writes &of(const clang::ValueDecl &declaration) const;

  /// True for a write that happens at most once: in `main`, and in no loop.
  [[nodiscard]] bool isOnce(const Written &written) const;

  /// True where a global variable is written before the program allocates device memory or
  /// launches a kernel, and not behind that.
  [[nodiscard]] bool isSettledFirst(const clang::VarDecl &global) const;

private:
  class Finder;
  void forget(const clang::CXXRecordDecl &record);
  /// The last statement of `main`'s body below which a function, or an expression, is reached; -1:
  /// not known.
  [[nodiscard]] std::ptrdiff_t lastIn(const clang::Stmt &statement,
                                      const clang::FunctionDecl *around, int depth) const;

  const Program &program_;
  const Callers &callers_;
  const clang::FunctionDecl *main_ = nullptr;
  std::map<const clang::ValueDecl *, Writes> writes_; ///< by canonical declaration
};

} // namespace relayout::rewriter
