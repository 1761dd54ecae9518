// SPDX-License-Identifier: Apache-2.0
// Looks at every mention of an array in shared memory. What is not known to be an access to one
// element leaves the array alone.
#include "relayout/instrument/clang/shared_arrays.h"

#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

/// Numbers and pointers, at any depth; 0 for a type that is not made of these alone.
std::uint64_t leavesOf(const clang::ASTContext &ast, clang::QualType type) {
  if (type.isVolatileQualified() || type.isConstQualified())
    return 0;
  if (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type))
    return array->getSize().getZExtValue() * leavesOf(ast, array->getElementType());
  if (type->isScalarType())
    return 1;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isUnion() || record->getNumBases() != 0 || !record->isAggregate() ||
      !record->isTriviallyCopyable() || !record->hasTrivialDefaultConstructor() ||
      !record->hasTrivialDestructor())
    return 0;
  std::uint64_t leaves = 0;
  for (const clang::FieldDecl *field : record->fields()) {
    const std::uint64_t own = field->isBitField() || field->isAnonymousStructOrUnion() ||
                                      field->getAccess() == clang::AS_private ||
                                      field->getAccess() == clang::AS_protected
                                  ? 0
                                  : leavesOf(ast, field->getType());
    if (own == 0)
      return 0;
    leaves += own;
  }
  return leaves;
}

/// A struct of the user's at namespace scope or in a class, which no template makes.
bool isPlainRecord(const clang::ASTContext &ast, clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->getDefinition() || scalarRecordOf(type) || vectorTypeOf(type) ||
      ast.getSourceManager().isInSystemHeader(
          ast.getSourceManager().getExpansionLoc(record->getLocation())))
    return false;
  for (const clang::DeclContext *scope = record; scope; scope = scope->getParent())
    if (isa<clang::ClassTemplateSpecializationDecl, clang::FunctionDecl>(scope) ||
        scope->isDependentContext())
      return false;
  return leavesOf(ast, type) > 1;
}

bool isDeclaredPlainly(const clang::VarDecl &variable) {
  if (variable.hasExternalStorage() || variable.isConstexpr() || variable.getLocation().isMacroID())
    return false;
  const bool hasOtherAttributes = std::ranges::any_of(variable.attrs(), [](const auto *attribute) {
    return !isa<clang::CUDASharedAttr, clang::AnnotateAttr, clang::UnusedAttr>(attribute);
  });
  const auto *made = dyn_cast_or_null<clang::CXXConstructExpr>(variable.getInit());
  const bool hasValue = variable.getInit() &&
                        (!made || made->getNumArgs() != 0 || !made->getConstructor()->isTrivial());
  const clang::TypeSourceInfo *written = variable.getTypeSourceInfo();
  const auto array =
      written ? written->getTypeLoc().getAs<clang::ArrayTypeLoc>() : clang::ArrayTypeLoc();
  return !hasOtherAttributes && !hasValue && array && !array.getLBracketLoc().isMacroID() &&
         !array.getRBracketLoc().isMacroID() && !array.getElementLoc().getBeginLoc().isMacroID() &&
         !array.getElementLoc().getAs<clang::ArrayTypeLoc>();
}

/// What is done with an array in one instance of its function.
class Mentions {
public:
  explicit Mentions(const clang::VarDecl &array) : array_(array) {}

  /// \returns  whether all is known
  bool read(const clang::Stmt &statement) {
    if (isa<clang::LambdaExpr>(statement))
      return readsNone(statement);
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(&statement);
        name && name->getDecl() == &array_) {
      places.insert(name->getLocation());
      return isAccess(*name);
    }
    if (const auto *declaration = dyn_cast<clang::DeclStmt>(&statement);
        declaration && std::ranges::count(declaration->decls(), &array_) != 0 &&
        (!declaration->isSingleDecl() || around_.empty() ||
         !isa<clang::CompoundStmt>(around_.back())))
      return false;
    around_.push_back(&statement);
    const bool isKnown = std::ranges::all_of(
        statement.children(), [this](const clang::Stmt *child) { return !child || read(*child); });
    around_.pop_back();
    return isKnown;
  }

  std::set<clang::SourceLocation> places;

private:
  [[nodiscard]] bool readsNone(const clang::Stmt &statement) const {
    const auto *name = dyn_cast<clang::DeclRefExpr>(&statement);
    return !(name && name->getDecl() == &array_) &&
           std::ranges::all_of(statement.children(), [this](const clang::Stmt *child) {
             return !child || readsNone(*child);
           });
  }

  /// Climbs from a name through the element and its fields to what is done with these.
  class Climb {
  public:
    Climb(const clang::Expr &from, const std::vector<const clang::Stmt *> &around)
        : at(&from), around_(around), above_(around.size()) {}

    [[nodiscard]] const clang::Stmt *parent() const {
      return above_ == 0 ? nullptr : around_[above_ - 1];
    }
    template <class Node> const Node *parentAs() {
      while (isa_and_nonnull<clang::ParenExpr>(parent()))
        step();
      return dyn_cast_or_null<Node>(parent());
    }
    void step() { at = cast<clang::Expr>(around_[--above_]); }
    bool decays() {
      const auto *decay = parentAs<clang::ImplicitCastExpr>();
      if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
        return false;
      step();
      return true;
    }
    /// `at[i]`, written in the file itself.
    bool isSubscripted() {
      const auto *subscript = parentAs<clang::ArraySubscriptExpr>();
      if (!subscript || subscript->getLHS() != at || subscript->getRBracketLoc().isMacroID())
        return false;
      step();
      return true;
    }
    bool hasField() {
      const auto *member = parentAs<clang::MemberExpr>();
      if (!member || member->isArrow() || !isa<clang::FieldDecl>(member->getMemberDecl()) ||
          member->getMemberLoc().isMacroID())
        return false;
      step();
      return true;
    }

    const clang::Expr *at;

  private:
    const std::vector<const clang::Stmt *> &around_;
    std::size_t above_;
  };

  [[nodiscard]] bool isAccess(const clang::DeclRefExpr &name) const {
    if (name.getLocation().isMacroID())
      return false;
    Climb climb(name, around_);
    if (!climb.decays() || !climb.isSubscripted())
      return false;
    while (climb.hasField() || (climb.decays() && climb.isSubscripted()))
      continue;
    if (!climb.at->isGLValue() || climb.at->getType()->isArrayType())
      return false; // a decay that leads to no subscript, or no decay
    return climb.at->getType()->isRecordType() ? isCopied(climb) : isReadOrWritten(climb);
  }

  static bool isReadOrWritten(Climb &climb) {
    if (const auto *load = climb.parentAs<clang::ImplicitCastExpr>())
      return load->getCastKind() == clang::CK_LValueToRValue;
    if (const auto *assignment = climb.parentAs<clang::BinaryOperator>())
      return assignment->isAssignmentOp() && assignment->getLHS() == climb.at;
    const auto *step = climb.parentAs<clang::UnaryOperator>();
    return step && step->isIncrementDecrementOp();
  }

  /// Of an element, or of a struct in it.
  static bool isCopied(Climb &climb) {
    if (const auto *qualified = climb.parentAs<clang::ImplicitCastExpr>();
        qualified && qualified->getCastKind() == clang::CK_NoOp)
      climb.step();
    if (const auto *made = climb.parentAs<clang::CXXConstructExpr>())
      return made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor() &&
             made->getConstructor()->isTrivial();
    const auto *call = climb.parentAs<clang::CXXOperatorCallExpr>();
    const auto *method =
        call ? dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    return method && call->getOperator() == clang::OO_Equal && method->isTrivial();
  }

  const clang::VarDecl &array_;
  std::vector<const clang::Stmt *> around_;
};

/// The instances of a function template with bodies, or the function itself; none where some could
/// not be told.
std::vector<const clang::FunctionDecl *> instancesOf(const clang::FunctionDecl &function) {
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  if (!pattern)
    pattern = &function;
  const clang::FunctionTemplateDecl *made = pattern->getDescribedFunctionTemplate();
  if (!made)
    return pattern->isTemplated() || pattern->getTemplateSpecializationInfo()
               ? std::vector<const clang::FunctionDecl *>()
               : std::vector{pattern};
  if (!std::ranges::all_of(*made->getTemplateParameters(), [](const clang::NamedDecl *parameter) {
        return isa<clang::NonTypeTemplateParmDecl>(parameter);
      }))
    return {};
  std::vector<const clang::FunctionDecl *> instances;
  for (const clang::FunctionDecl *instance : made->specializations()) {
    if (instance->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
      return {};
    if (const clang::FunctionDecl *definition = instance->getDefinition();
        definition && definition->getTemplateInstantiationPattern() == pattern)
      instances.push_back(definition);
  }
  return instances;
}

/// How often a function's text has a name, what the preprocessor leaves out included; 0 where it is
/// not one piece of a file.
std::size_t timesNamed(const clang::FunctionDecl &function, const clang::IdentifierInfo &name) {
  const clang::SourceManager &sources = function.getASTContext().getSourceManager();
  const clang::SourceLocation begin = sources.getExpansionLoc(function.getBeginLoc());
  const clang::SourceLocation end = sources.getExpansionLoc(function.getEndLoc());
  const clang::FileID file = sources.getFileID(begin);
  if (file != sources.getFileID(end) || function.getEndLoc().isMacroID())
    return 0;
  const llvm::StringRef text = sources.getBufferData(file);
  const char *first = text.data() + sources.getFileOffset(begin);
  const char *last = text.data() + sources.getFileOffset(end);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), function.getASTContext().getLangOpts(),
                     text.data(), first, text.data() + text.size());
  std::size_t times = 0;
  clang::Token token;
  for (bool isLast = false; !isLast;) {
    isLast = lexer.LexFromRawLexer(token);
    if (sources.getCharacterData(token.getLocation()) >= last)
      break;
    times += token.is(clang::tok::raw_identifier) && token.getRawIdentifier() == name.getName();
  }
  return times;
}

} // namespace

const clang::VarDecl *declaredAt(const clang::Stmt &statement, clang::SourceLocation place) {
  if (const auto *declaration = dyn_cast<clang::DeclStmt>(&statement))
    for (const clang::Decl *member : declaration->decls())
      if (const auto *own = dyn_cast<clang::VarDecl>(member); own && own->getLocation() == place)
        return own;
  for (const clang::Stmt *child : statement.children())
    if (const clang::VarDecl *own = child ? declaredAt(*child, place) : nullptr)
      return own;
  return nullptr;
}

bool isSharedArray(const clang::ValueDecl &declaration) {
  const auto *variable = dyn_cast<clang::VarDecl>(&declaration);
  if (!variable || !variable->hasAttr<clang::CUDASharedAttr>() || !variable->isLocalVarDecl() ||
      !variable->getIdentifier() || !variable->getType()->isArrayType() ||
      !isDeclaredPlainly(*variable))
    return false;
  const clang::Type *element = variable->getType()->getArrayElementTypeNoTypeQual();
  if (!element->isRecordType() && !element->isDependentType())
    return false;
  const auto *function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
  if (!function || isa<clang::CXXMethodDecl>(function) ||
      function->hasAttr<clang::CUDAHostAttr>() ||
      !(function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>()))
    return false;
  const clang::ASTContext &ast = variable->getASTContext();
  const std::vector<const clang::FunctionDecl *> instances = instancesOf(*function);
  std::set<const clang::CXXRecordDecl *> records;
  std::set<clang::SourceLocation> places;
  for (const clang::FunctionDecl *instance : instances) {
    const clang::VarDecl *own =
        instance->hasBody() ? declaredAt(*instance->getBody(), variable->getLocation()) : nullptr;
    const clang::ConstantArrayType *array =
        own ? ast.getAsConstantArrayType(own->getType()) : nullptr;
    if (!array || !isDeclaredPlainly(*own) || array->getElementType().hasQualifiers() ||
        !isPlainRecord(ast, array->getElementType()))
      return false;
    records.insert(array->getElementType()->getAsCXXRecordDecl()->getCanonicalDecl());
    Mentions mentions(*own);
    if (!mentions.read(*instance->getBody()))
      return false;
    places.merge(mentions.places);
  }
  // What no instance has, as a part of the text that is left out, nobody has looked at.
  return records.size() == 1 && !places.empty() &&
         timesNamed(*instances.front(), *variable->getIdentifier()) == places.size() + 1;
}

bool isArrayVariable(const clang::ValueDecl &declaration) {
  return isStaticDeviceArray(declaration) || isSharedArray(declaration);
}

const clang::VarDecl *namedArrayVariable(const clang::Expr *expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && isArrayVariable(*variable) ? variable : nullptr;
}

} // namespace relayout::instrument
