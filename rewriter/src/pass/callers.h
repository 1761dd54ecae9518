// SPDX-License-Identifier: Apache-2.0
// From where the functions of a program are called.
#pragma once

#include "pass/program.h"

#include <map>
#include <vector>

namespace relayout::rewriter {

class Callers {
public:
  struct Call {
    const clang::Expr *expression = nullptr; ///< a CallExpr or a CXXConstructExpr
    const clang::FunctionDecl *around = nullptr;
  };

  explicit Callers(const Program &program);

  /// All calls of a function, of an instance of a template, or of a constructor; null where there
  /// may be others: by other units, through pointers or virtual functions, in the library.
  [[nodiscard]] const std::vector<Call> *of(const clang::FunctionDecl &function) const;

  /// True for a class that templates of the library work with, which may make objects of it.
  [[nodiscard]] bool isInLibrary(const clang::CXXRecordDecl &record) const {
    return inLibrary_.contains(record.getCanonicalDecl());
  }

private:
  struct Calls {
    std::vector<Call> all;
    bool isNamedOtherwise = false;
  };
  void addCall(const Naming &naming);
  void addLibrary(const clang::FunctionDecl &called);
  void addLibrary(llvm::ArrayRef<clang::TemplateArgument> arguments);

  const Program &program_;
  std::map<const clang::FunctionDecl *, Calls> calls_; ///< by canonical declaration
  std::set<const clang::CXXRecordDecl *> inLibrary_;   ///< classes that templates of it work with
};

} // namespace relayout::rewriter
