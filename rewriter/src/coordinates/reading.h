// SPDX-License-Identifier: Apache-2.0
// Integer expressions in front of one access as polynomials, and what is known of their values
// there.
#pragma once

#include "coordinates/facts.h"
#include "coordinates/function_body.h"
#include "coordinates/host_values.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace relayout::rewriter {

/// Of `int`, and of places in an array.
inline constexpr std::int64_t kLargestInt = 0x7fff'ffff;

class Reading {
public:
  /// \param access  in the body; what is said holds whenever it is evaluated and well defined
  /// \param extents  of the array that it accesses
  Reading(HostValues &values, const FunctionBody &body, const clang::Expr &access,
          const std::vector<HostValue> &extents);

  /// The value of an integer expression: equal wherever the original does not overflow.
  /// \param at  where the expression is evaluated on the way to the access
  [[nodiscard]] std::optional<Polynomial> valueOf(const clang::Expr &expression,
                                                  const clang::Stmt &at);

  /// A polynomial from which the value differs by a multiple of 2^64, as unsigned arithmetic of 64
  /// bits has it: that of negative numbers as well.
  [[nodiscard]] std::optional<Polynomial> congruentTo(const clang::Expr &expression,
                                                      const clang::Stmt &at);

  /// Takes in that a condition was true, or false.
  /// \param at  where it was evaluated
  void know(const clang::Expr &condition, bool holds, const clang::Stmt &at);

  [[nodiscard]] const Facts &facts() const { return facts_; }
  /// An extent, or a number.
  [[nodiscard]] Polynomial valueOf(const HostValue &extent);
  /// Local variables that are polynomials of others.
  [[nodiscard]] std::vector<const clang::VarDecl *> computed() const;
  /// With local variables replaced by what they were computed from; the same where there are none.
  [[nodiscard]] Polynomial expanded(const Polynomial &polynomial) const;
  /// As C++ code writes it; nothing where a name would mean something else at the access, or the
  /// sum might leave `int` on the way.
  /// \param polynomial  of a value that `int` holds
  [[nodiscard]] std::optional<std::string> textOf(const Polynomial &polynomial) const;

private:
  enum class Kind { Remainder, Quotient };
  struct Known {
    std::string text;
    bool isSum = false; ///< needs parentheses in a product
    const clang::VarDecl *variable = nullptr;
    std::optional<Polynomial> definition = {};
  };
  using Range = std::pair<__int128, __int128>;

  [[nodiscard]] Atom newAtom(Known known);
  void addRange(Atom atom, clang::QualType type);
  [[nodiscard]] std::optional<Polynomial> ofVariable(const clang::VarDecl &variable,
                                                     const clang::Stmt &at);
  [[nodiscard]] std::optional<Polynomial> ofMember(const clang::MemberExpr &member);
  [[nodiscard]] Atom atomOf(const clang::VarDecl &variable);
  void define(Atom atom, const clang::VarDecl &variable);
  void knowStart(Atom atom, const clang::VarDecl &variable, const clang::ForStmt &loop);
  [[nodiscard]] std::optional<Polynomial> ofCast(const clang::CastExpr &conversion,
                                                 const clang::Stmt &at);
  [[nodiscard]] std::optional<Polynomial> ofOperation(const clang::BinaryOperator &operation,
                                                      const clang::Stmt &at);
  [[nodiscard]] std::optional<Polynomial> ofDivision(const clang::BinaryOperator &operation,
                                                     const Polynomial &left,
                                                     const Polynomial &right);
  [[nodiscard]] std::optional<Polynomial> ofThread(const clang::Expr &expression);
  [[nodiscard]] const clang::Expr *enter(const clang::CallExpr &call, const clang::Stmt &at);
  void leave() { arguments_.pop_back(); }
  void knowComparison(const clang::BinaryOperator &comparison, bool holds, const clang::Stmt &at);
  void knowLess(const clang::Expr &less, const clang::Expr &more, int gap, const clang::Stmt &at);

  [[nodiscard]] bool fits(const Polynomial &polynomial, clang::QualType type) const;
  [[nodiscard]] std::optional<Range> rangeOf(const Polynomial &polynomial) const;
  [[nodiscard]] std::optional<Range> rangeOf(const Monomial &monomial) const;
  [[nodiscard]] bool onlyGrows(const Polynomial &polynomial) const;
  [[nodiscard]] std::optional<std::string> textOf(const Monomial &monomial,
                                                  std::int64_t factor) const;

  HostValues &values_;
  const FunctionBody &body_;
  const clang::Expr &access_;
  const clang::ASTContext &ast_;
  const std::vector<HostValue> &extents_;
  Facts facts_;
  std::vector<Known> atoms_;
  std::map<const clang::VarDecl *, Atom> variables_;
  std::vector<std::pair<HostValue, Atom>> hostValues_; ///< extents
  std::vector<std::pair<HostValue, Atom>> members_;    ///< what is no extent
  std::map<std::tuple<Kind, Polynomial, Polynomial>, Atom> operations_;
  std::map<std::string, Atom> threads_; ///< numbers of threads, by their text
  std::vector<std::map<const clang::ParmVarDecl *, Polynomial>> arguments_;
  std::set<const clang::VarDecl *> named_;      ///< by the access itself
  std::map<std::int64_t, std::string> numbers_; ///< names of constants in subscripts
  int depth_ = 0;
};

} // namespace relayout::rewriter
