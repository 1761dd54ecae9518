// SPDX-License-Identifier: Apache-2.0
// Extents that are known at run time, where arrays are allocated. Functions that allocate without
// knowing them get them as parameters: `double *allocate(size_t n)` becomes
// `DoubleView allocate(size_t n, int ny, int nz)`, and its callers pass them.
#pragma once

#include "pass/callers.h"
#include "relayout/instrument/clang/size_factors.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace relayout::rewriter {

/// The factors of an extent: "ny" and "nz" of "ny * nz".
[[nodiscard]] std::vector<std::string> factorsOf(const std::string &extent);

/// A name for an extent or a factor that a function has no other use for: `nz` of `nz`, `grid.nz`
/// and `grid->nz`.
[[nodiscard]] std::string parameterNameOf(const std::string &extent,
                                          const clang::FunctionDecl &function);

class ExtentParameters {
public:
  /// Those of a pass.
  [[nodiscard]] static ExtentParameters &of(Program &program);

  explicit ExtentParameters(Program &program);

  /// The extents of an order that are known at run time, as a call that allocates has to write them
  /// behind its other arguments: ", nz, ny". Functions around it may get parameters for that.
  /// \error RL-R08 one is not visible there, nor where all of them are called
  [[nodiscard]] std::variant<std::string, Refusal> given(const analysis::ElementOrder &order,
                                                         const Callers::Call &call);

  /// Where a factor of an extent is visible for what a call allocates: there, or at all calls of
  /// the functions around. Empty: it is not.
  [[nodiscard]] std::vector<Callers::Call> visibleFor(const std::string &factor,
                                                      const Callers::Call &call);

  /// Edits the functions and their calls. After all uses, before copies of templates are written.
  void write();

  /// What a factor is there; null where it is not visible.
  [[nodiscard]] const instrument::ExtentName *visible(const std::string &factor,
                                                      const Callers::Call &call);

private:
  /// One extent.
  [[nodiscard]] std::variant<std::string, Refusal> at(const std::string &extent,
                                                      const Callers::Call &call);
  struct Parameter {
    std::string factor; ///< as callers call it
    std::string name;
    std::string type;
  };
  struct Function {
    std::vector<Parameter> parameters;
    std::vector<std::pair<Callers::Call, std::string>> calls; ///< and what each passes more
  };

  [[nodiscard]] const Parameter *parameterFor(const std::string &factor,
                                              const clang::FunctionDecl &function);
  /// A factor as a call writes it, with its type; nothing where it cannot.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>>
  factorAt(const std::string &factor, const Callers::Call &call);
  void addParameters(const clang::FunctionDecl &function, const std::string &text);
  void addArguments(const Callers::Call &call, const std::string &text);
  void addTo(const clang::DeclContext *scope, clang::SourceLocation closing, std::string text,
             const clang::FunctionDecl &function);

  Program &program_;
  const Callers callers_;
  const instrument::PassedNames passed_;
  std::map<const clang::Expr *, std::vector<instrument::ExtentName>> names_; ///< by call
  std::map<const clang::FunctionDecl *, Function> functions_; ///< by canonical declaration
  int depth_ = 0;
};

} // namespace relayout::rewriter
