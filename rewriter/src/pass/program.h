// SPDX-License-Identifier: Apache-2.0
// What all parts of one rewriting pass share.
#pragma once

#include "edits/edit_set.h"
#include "pass/definitions.h"
#include "pass/findings.h"
#include "pass/linked_functions.h"
#include "pass/parent_index.h"
#include "pass/separate_templates.h"
#include "pass/shared_copies.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/rewriter/header.h"
#include "relayout/trace/site_table.h"

#include <clang/AST/ASTContext.h>

#include <map>
#include <memory>
#include <set>

namespace relayout::rewriter {

/// A record whose device arrays change their layout.
struct Target {
  const clang::CXXRecordDecl *record = nullptr;
  RecordShape shape;
  analysis::Layout layout;
  GeneratedNames names;
  bool isInVariables = false; ///< some of its arrays are __device__ or __shared__ variables
};

/// A place between declarations, and the named namespaces that are open there: "a::b::".
struct CodePlace {
  FilePlace place;
  std::string namespaces;
  /// All that is open, outermost first, as it is written: "namespace a", `extern "C"`.
  std::vector<std::string> scopes = {};
  /// What ends the innermost of them, where code of another namespace is put there, and begins them
  /// again.
  std::string closing = {}, opening = {};
};

/// The named namespaces among scopes, "a::b::".
[[nodiscard]] std::string namespacesOf(const std::vector<std::string> &scopes);

class Coordinates;
class ExtentParameters;
class ReferenceChecks;
struct UntypedCopy;

/// One pass (host or device view) over the program.
/// The scope in which one is written: that of a friend is the class which befriends it.
[[nodiscard]] inline const clang::DeclContext *scopeAround(const clang::DeclContext &scope) {
  const auto *function = clang::dyn_cast<clang::FunctionDecl>(&scope);
  return function && function->getFriendObjectKind() != clang::Decl::FOK_None
             ? function->getLexicalParent()
             : scope.getParent();
}

struct Program {
  instrument::ParsedUnit &unit;
  const instrument::ArrayFlow &flow;
  const ParentIndex &index;
  const Definitions &definitions; ///< of all units
  bool isAlone = false;           ///< the program has no other unit
  SourceReader reader;
  Findings &findings;
  EditSet &edits;
  SharedCopies &sharedCopies;                           ///< of all units
  LinkedFunctions &linked;                              ///< of all units, where there are several
  SeparateTemplates &separate;                          ///< of all units
  std::map<std::uint32_t, const Target *> targets = {}; ///< by group
  std::map<const Target *, HeaderParts> parts = {};     ///< what their headers need
  /// Uses in templates that this unit does not instantiate, and why they stand in the way unless
  /// another unit does.
  std::map<FilePlace, Refusal> uninstantiated = {};
  /// The files whose text changes with a record's arrays: canonical paths.
  std::map<const Target *, std::set<std::string>> editedFiles = {};
  std::set<std::string> stringified = {}; ///< macros that were warned of
  /// Those whose bodies have a type that changes (macro_uses.h).
  std::set<std::string> macrosOfDeclarations = {};
  /// Instances of templates that are written out as functions and classes of their own, and the
  /// edits of their text.
  std::map<const clang::NamedDecl *, EditSet> copies = {};
  /// Functions of memory without a type that are written out for a record (untyped_copies.h).
  std::vector<std::shared_ptr<UntypedCopy>> untypedCopies = {};
  /// Where generated headers are included, by record.
  std::map<const clang::CXXRecordDecl *, CodePlace> includes = {};

  /// Made when an array with extents that are known at run time is allocated.
  std::shared_ptr<ExtentParameters> extentParameters = {};

  /// Made when the first access to an array in another order is reached.
  std::shared_ptr<Coordinates> coordinates = {};

  /// The instance around a function or class, itself included, that is written out; or null.
  [[nodiscard]] const clang::NamedDecl *copyAround(const clang::DeclContext *scope) const {
    for (; scope; scope = scopeAround(*scope))
      if (const auto *named = dyn_cast<clang::NamedDecl>(clang::Decl::castFromDeclContext(scope));
          named && copies.count(named))
        return named;
    return nullptr;
  }

  /// The edits of what stands in this function or class: its copy's, or those of the text itself.
  [[nodiscard]] EditSet &editsIn(const clang::DeclContext *scope) {
    const clang::NamedDecl *copy = copyAround(scope);
    return copy ? copies.at(copy) : edits;
  }

  /// False for host C++, whose compiler takes no launch.
  [[nodiscard]] bool isCuda() const { return unit.ast().getLangOpts().CUDA; }

  /// True for functions and variables that a unit of the program defines, in CUDA or C++.
  [[nodiscard]] bool isDefined(const clang::NamedDecl &declaration) const {
    return definitions.ofCxx.contains(instrument::symbolOf(unit, &declaration));
  }
  [[nodiscard]] bool isDefinedInC(const clang::NamedDecl &declaration) const {
    return definitions.ofC.contains(instrument::symbolOf(unit, &declaration));
  }

  /// The layout that what this declaration points to is given; null when it is not rewritten.
  [[nodiscard]] const Target *targetOf(const clang::ValueDecl *declaration) const {
    const auto entry = targets.find(flow.groupOf(declaration));
    return entry == targets.end() ? nullptr : entry->second;
  }

  [[nodiscard]] const Target *targetOf(const clang::CXXRecordDecl *record) const {
    for (const auto &[group, target] : targets)
      if (target->record->getCanonicalDecl() == record->getCanonicalDecl())
        return target;
    return nullptr;
  }
};

/// A name of the record's own scope as code at `user` must write it: with its namespaces, unless it
/// stands inside them.
[[nodiscard]] std::string spelledFor(const Target &target, const std::string &name,
                                     const clang::DeclContext *user);

/// The name of a function that is written for a record where nothing but its result tells which
/// one it is for: `alloc` becomes `particleAlloc`.
/// \returns  nothing where the program, or the generated header, has that name
[[nodiscard]] std::optional<std::string> nameForRecord(const Program &program, const Target &target,
                                                       std::string function);

/// True for `const R &` parameters, `R &` of operators, and `R &` that locals are given to as well:
/// they are not rewritten, and callers pass a copy of the element, which is stored back where it
/// may be changed. True for references
/// to scalars: they are bound to the element wherever it lies.
[[nodiscard]] bool isKeptReference(const Program &program, const clang::ValueDecl *declaration);

/// `callee(…)` of CUDA's runtime, by name; empty for the user's own functions.
[[nodiscard]] std::string runtimeName(const Program &program, const clang::CallExpr &call);

/// `std::exchange(a, b)`.
[[nodiscard]] bool isExchange(const clang::CallExpr &call);

/// `std::move(a)`.
[[nodiscard]] bool isMove(const clang::CallExpr &call);

/// True when the program's own text declares it, not a header of CUDA's or the system's.
[[nodiscard]] bool isUsers(const Program &program, const clang::Decl &declaration);

/// True when part of an expression names a rewritten array; references that are kept do not count.
[[nodiscard]] bool namesArrays(const Program &program, const clang::Stmt *expression);

/// The parameter an argument initialises; null for variadic ones and calls through pointers.
[[nodiscard]] const clang::ParmVarDecl *parameterFor(const clang::CallExpr &call,
                                                     const clang::Expr &argument);

/// Edits the declarations of all rewritten arrays to views (declarations.cpp).
void rewriteDeclarations(Program &program);

/// True for expressions that are views of this target once rewritten, or null.
[[nodiscard]] bool isView(const Program &program, const clang::Expr *value, const Target &target);

/// True for lvalues that are elements of this target's arrays.
[[nodiscard]] bool isElement(const Program &program, const clang::Expr *value,
                             const Target &target);

/// Checks that only views, null and elements' addresses flow into rewritten declarations, and that
/// nothing depends on the bytes of those (view_sources.cpp).
void checkSources(Program &program);

/// `(R *)deviceAlloc(bytes)`, which is a view of these arrays once rewritten; null otherwise.
[[nodiscard]] const clang::CallExpr *untypedResult(const Program &program, const clang::Expr *value,
                                                   const Target &target);

/// Edits all of them in a value that becomes a view (untyped_copies.cpp).
void editUntypedResults(Program &program, const clang::Expr *value, const Target &target);

/// Takes the type away from nulls that become views: `(R *)0`, `c ? p : (R *)nullptr`
/// (typed_nulls.cpp).
void editTypedNulls(Program &program, const clang::Expr *value, const Target &target);

/// `(R **)malloc(n * sizeof(R *))`, `new R *[n]`: memory of the host's that holds views once
/// rewritten.
[[nodiscard]] bool isMemoryOfViews(const Program &program, const clang::Expr *value,
                                   const Target &target);

/// Edits where it is made (pointer_memory.cpp).
void editMemoryOfViews(Program &program, const clang::Expr *value, const Target &target);

/// The container that an expression makes or names, without the copies that are left out.
[[nodiscard]] const clang::Expr *containerIn(const clang::Expr *value);

/// The pointer type in `std::vector<R *>(n)` and `std::array<R *, 2>{a, b}`, as an expression
/// writes it that makes a container; null for all other expressions.
[[nodiscard]] clang::TypeLoc heldTypeMade(const clang::Expr *value);

/// Edits it to that of views (pointer_memory.cpp).
void editMadeContainer(Program &program, const clang::Expr *value, const Target &target);

/// Refuses programs that depend on the bytes of structs which hold rewritten pointers
/// (holder_bytes.cpp).
void checkHolders(Program &program);

/// Edits every use of the rewritten arrays, and refuses each one it does not know (uses.cpp).
/// \param references  what is learnt about functions, of all units
void rewriteUses(Program &program, ReferenceChecks &references);

} // namespace relayout::rewriter
