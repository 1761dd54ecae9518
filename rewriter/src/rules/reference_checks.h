// SPDX-License-Identifier: Apache-2.0
// What functions do with elements and fields that they are given by reference. A `const R &`
// parameter that was bound to an element is bound to a copy afterwards, and so is `this` of a const
// method. That is the same only while the call neither changes such elements nor waits for others
// to do so, and keeps no address of what it was given.
#pragma once

#include "pass/program.h"

#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace relayout::rewriter {

class Climb;

/// What the climbs in all units learn about functions.
class ReferenceChecks {
public:
  /// \param function  may be null: file scope
  /// \param parameter  the reference that it writes through; null: it knows the array
  /// \param target  whose elements it writes
  void noteStore(const clang::FunctionDecl *function, const clang::ParmVarDecl *parameter,
                 const Target &target) {
    if (parameter)
      storingThrough_[parameter].insert(instrument::traceNameOf(*target.record));
    else if (function)
      storing_[function].insert(instrument::traceNameOf(*target.record));
  }
  /// A function gives an element, or a part of one, to another by reference.
  void notePassing(const clang::FunctionDecl *from, const clang::ParmVarDecl &to) {
    passing_.emplace(from, &to);
  }
  /// A copy of an element stands for the element during this call.
  void noteCopyFor(const Climb &climb, const clang::FunctionDecl &callee,
                   clang::SourceLocation where);
  /// True the first time that this reference is followed.
  [[nodiscard]] bool isNew(const clang::VarDecl &reference, bool isValue) {
    return references_.insert({&reference, isValue}).second;
  }
  /// The same of a pointer to a field.
  /// \param lead  what is known of where it leads
  [[nodiscard]] bool isNewPointer(const clang::VarDecl &pointer, bool isValue,
                                  std::array<std::uint64_t, 3> lead) {
    return pointers_.insert({&pointer, isValue, lead}).second;
  }
  /// The same of what a function returns.
  [[nodiscard]] bool isNewResult(const clang::FunctionDecl &function,
                                 std::array<std::uint64_t, 3> lead) {
    return results_.insert({&function, lead}).second;
  }
  [[nodiscard]] bool isNew(const clang::FunctionDecl &method) {
    return methods_.insert(&method).second;
  }
  /// This pointer or reference is used beside a call that changes a copy of an element.
  void noteBeside(Program &program, const clang::VarDecl &variable, const Target &target,
                  clang::SourceLocation where) {
    beside_.push_back({&program, &variable, &target, where});
  }
  /// Numbers the statements of a function that get variables in front of them, in all passes and
  /// units alike.
  /// \param function  where its body begins
  [[nodiscard]] std::size_t numberInFunction(const FilePlace &function,
                                             const FilePlace &statement) {
    std::map<FilePlace, std::size_t> &numbers = numbers_[function];
    return numbers.try_emplace(statement, numbers.size()).first->second;
  }
  /// Elements cannot be loaded, given to a reference of this function, and stored back: where other
  /// objects are given to it as well, a copy of the function may serve these.
  void noteUnableToStoreBackFor(const clang::FunctionDecl &function) {
    wantedCopies_.insert(function.getNameAsString() + "()");
  }
  /// The same of a method's object.
  void noteUnableToStoreBack(const clang::CXXMethodDecl &method) {
    wantedCopies_.insert(instrument::methodName(method));
  }
  /// A macro's body names elements, or has a type that changes.
  /// \param name  or a single use (macro_uses.h)
  void noteMacro(std::string name) { wantedCopies_.insert(std::move(name)); }
  [[nodiscard]] const std::set<std::string> &wantedCopies() const { return wantedCopies_; }
  /// Refuses the calls with copies that can see a difference. After all climbs in all units.
  void refuseVisibleCopies() const;

private:
  struct CopyForCall {
    Program *program;
    const clang::FunctionDecl *caller, *callee;
    const Target *target;
    clang::SourceLocation where;
  };

  [[nodiscard]] std::string visibleEffect(const CopyForCall &copy) const;
  [[nodiscard]] std::string effectOf(const Program &program, const clang::FunctionDecl &function,
                                     const std::string &record,
                                     const clang::FunctionDecl *caller) const;

  struct VariableBeside {
    Program *program;
    const clang::VarDecl *variable;
    const Target *target;
    clang::SourceLocation where;
  };

  /// Functions that write elements or fields of rewritten arrays, and the records of these.
  std::map<const clang::FunctionDecl *, std::set<std::string>> storing_;
  std::map<const clang::ParmVarDecl *, std::set<std::string>> storingThrough_;
  std::set<std::pair<const clang::FunctionDecl *, const clang::ParmVarDecl *>> passing_;
  std::set<std::string> wantedCopies_; ///< of functions, by their names
  std::vector<CopyForCall> copies_;
  std::vector<VariableBeside> beside_;
  std::map<FilePlace, std::map<FilePlace, std::size_t>> numbers_; ///< by function
  std::set<std::pair<const clang::VarDecl *, bool>> references_;
  std::set<std::tuple<const clang::VarDecl *, bool, std::array<std::uint64_t, 3>>> pointers_;
  std::set<std::pair<const clang::FunctionDecl *, std::array<std::uint64_t, 3>>> results_;
  std::set<const clang::FunctionDecl *> methods_;
};

/// What a caller may do whose element or field cannot be passed by reference.
[[nodiscard]] const char *remedyForReference(const clang::ParmVarDecl *parameter);

/// Follows a reference that is bound to a field or an element: what is done with it is done with
/// what it is bound to.
void followReference(Climb &climb, const clang::VarDecl &reference, const clang::Expr &from,
                     bool isValue);

/// Follows `this` through a const method that is called on a copy of an element.
void followThis(Climb &climb, const clang::FunctionDecl &method);

/// Refuses a call that is given a copy of the element in place of a reference, where another of its
/// arguments may change the element, which the body would see.
void requireIdleArguments(Climb &climb, const clang::CallExpr &call, const clang::Expr &element);

/// Refuses where the callee has an overload for temporaries, which would be called afterwards: what
/// was an lvalue is a temporary then.
void requireNoOverload(Climb &climb, const clang::FunctionDecl &callee,
                       clang::SourceLocation where);

} // namespace relayout::rewriter
