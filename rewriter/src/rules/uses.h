// SPDX-License-Identifier: Apache-2.0
// Climbs from each name of a rewritten array to what is done with it, and edits on the way.
// Whatever the climb does not know is refused: there is no default that lets an expression pass.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

class UseRewriter {
public:
  explicit UseRewriter(Program &program) : program_(program), reader_(program.reader) {}

  void run();

private:
  /// An element of an array as the user wrote it.
  struct Element {
    enum class Form { Subscript, Dereference, Arrow, Reference } form = Form::Subscript;
    const clang::Expr *whole = nullptr;           ///< `p[i]`, `*p`, or the reference's name
    const clang::Expr *view = nullptr;            ///< `p`; for Arrow the part left of `->`
    std::vector<const clang::ParenExpr *> parens; ///< around the whole, inside out
    bool isConst = false;                         ///< read through a view of const records
  };

  /// One use: the name, and the edits gathered for it.
  struct Use {
    const clang::Expr *name = nullptr;
    const Target *target = nullptr;
    const clang::FunctionDecl *function = nullptr;
    std::vector<Edit> edits;
    bool refused = false;
    bool followed = false; ///< not of the array's name: what a reference or `this` stands for
  };

  void rewrite(const Naming &naming, const Target &target);
  void checkFunctionName(const Naming &naming);

  // The climb (uses.cpp). Each takes the outermost expression reached so far.
  void pointer(Use &use, const clang::Expr *current);
  void pointerIn(Use &use, const clang::Expr *current, const clang::Stmt &parent);
  void pointerInOperator(Use &use, const clang::Expr *current, const clang::BinaryOperator &parent);
  void pointerInCall(Use &use, const clang::Expr *current, const clang::CallExpr &call);
  void addressTaken(Use &use, const clang::Expr *address);
  void throughVoid(Use &use, const clang::Expr *conversion);
  void element(Use &use, Element element);
  void elementInCall(Use &use, const Element &element, const clang::Expr *current,
                     const clang::CallExpr &call);
  void store(Use &use, const Element &element, const clang::CXXOperatorCallExpr &assignment);
  bool flowsInto(const Use &use, const clang::ValueDecl *declaration) const;
  void requireNoOverload(Use &use, const clang::FunctionDecl &callee, clang::SourceLocation where);
  bool isTested(const clang::Expr *condition) const;
  bool isDiscarded(const clang::Stmt *expression) const;

  // Edits of elements (element_edits.cpp).
  void editField(Use &use, const Element &element, const clang::MemberExpr &member,
                 bool isExploded = false);
  void editLoad(Use &use, const Element &element, const clang::MemberExpr *method = nullptr);
  void editAddress(Use &use, const Element &element, const clang::Expr *address);
  void replaceSizeof(Use &use, const clang::UnaryExprOrTypeTraitExpr &size,
                     const std::string &name);
  void dropParens(Use &use, const Element &element, bool keepOne);
  bool replaceBracket(Use &use, const clang::ArraySubscriptExpr &subscript, std::string open,
                      std::string close);
  bool dropStar(Use &use, const Element &element);

  // Array members with a plane an element (exploded_fields.cpp).
  static bool isExploded(const Use &use, const clang::MemberExpr &member);
  void explodedField(Use &use, const Element &element, const clang::MemberExpr &member);

  // What happens to a field once it is named (field_uses.cpp). Nothing is edited there but
  // `__ldg(&…)` of a value.
  void field(Use &use, const clang::Expr *current, bool isValue);
  void fieldInCall(Use &use, const clang::Expr *current, const clang::CallExpr &call, bool isValue);
  void dropLoad(Use &use, const clang::CallExpr &call, const clang::Expr &address);
  void fieldAddress(Use &use, const clang::Expr *address, bool isValue);
  void referenceTo(Use &use, const clang::VarDecl &variable, const clang::Expr *from, bool isValue);

  // CUDA runtime calls (cuda_calls.cpp).
  void runtimeCall(Use &use, const clang::Expr *argument, const clang::CallExpr &call,
                   const std::string &name);
  bool editAllocation(Use &use, const clang::Expr *address);
  bool editCallee(Use &use, const clang::CallExpr &call, const std::string &name);
  bool dropVoidCasts(Use &use, const clang::Expr *argument);
  const Target *otherLayout(const Use &use, const clang::CallExpr &call, unsigned other) const;
  bool checkOtherSide(Use &use, const clang::CallExpr &call, unsigned other);

  // Snapshots: a copy of an element stands for the element during a call (snapshots.cpp).
  void methodOfCopy(Use &use, const clang::FunctionDecl &method, clang::SourceLocation where);
  bool isFieldOrMethodOfThis(Use &use, const clang::CXXThisExpr &object,
                             clang::SourceLocation where);
  void requireNoStores(Use &use, const clang::FunctionDecl *callee, clang::SourceLocation where);
  void checkSnapshots();

  // Text.
  bool replaceToken(Use &use, clang::SourceLocation token, const std::string &expected,
                    const std::string &text);
  void insertBefore(Use &use, const clang::Expr &expression, const std::string &text);
  void insertAfter(Use &use, const clang::Expr &expression, const std::string &text);
  void refuseMacro(Use &use, clang::SourceLocation where);
  void refuse(Use &use, Code code, const std::string &text, clang::SourceLocation where,
              const std::string &remedy);

  struct Snapshot {
    const clang::FunctionDecl *callee;
    const Target *target;
    clang::SourceLocation where;
  };

  Program &program_;
  const SourceReader &reader_;
  /// Names inside templates themselves, with the record and the place.
  std::map<FilePlace, std::pair<std::string, clang::SourceLocation>> patternUses_;
  std::set<FilePlace> consumed_;
  std::set<const clang::FunctionDecl *> storing_; ///< write elements or fields of rewritten arrays
  std::vector<Snapshot> snapshots_;
  std::set<const clang::FunctionDecl *> methodsOfCopies_; ///< already looked into
  std::set<std::pair<const clang::VarDecl *, bool>>
      followed_; ///< references to fields already followed
};

} // namespace relayout::rewriter
