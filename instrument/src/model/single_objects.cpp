// SPDX-License-Identifier: Apache-2.0
// Looks for signs that pointers lead to one element or to more.
#include "model/single_objects.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <iterator>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

struct Numbers {
  std::set<trace::Index> one, several;
  std::set<const clang::CXXRecordDecl *> untyped; ///< that variables of type `void *` lead to
};

/// An allocation of as many bytes as a variable says, which was initialised with the size of one.
struct SizeInVariable {
  const clang::VarDecl *variable = nullptr;
  std::set<trace::Index> groups;
};

class NumberVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  NumberVisitor(const clang::ASTContext &ast, const ArrayFlow &flow, Numbers &numbers)
      : ast_(ast), flow_(flow), numbers_(numbers) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// To be called behind the visit: of what is one as long as a variable keeps its value.
  void finish() {
    for (const SizeInVariable &size : sizesInVariables_)
      (changed_.contains(size.variable) ? numbers_.several : numbers_.one)
          .insert(size.groups.begin(), size.groups.end());
  }

  bool VisitVarDecl(clang::VarDecl *variable) override { return noteArray(*variable); }
  bool VisitFieldDecl(clang::FieldDecl *field) override { return noteArray(*field); }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *subscript) override {
    const clang::Expr &index = *subscript->getIdx();
    const auto value = index.isValueDependent() ? std::nullopt : index.getIntegerConstantExpr(ast_);
    if (!value || *value != 0)
      noteSeveral(*subscript->getBase());
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator *step) override {
    if (step->isIncrementDecrementOp())
      noteSeveral(*step->getSubExpr());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *sum) override {
    if (sum->isAdditiveOp() || sum->isCompoundAssignmentOp()) {
      noteSeveral(*sum->getLHS());
      noteSeveral(*sum->getRHS());
    }
    return true;
  }

  /// Whatever does not read a variable may change it.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable && !reads_.contains(name))
      changed_.insert(variable);
    return true;
  }

  /// Of memory without a type nothing says how much there is, but that a variable names such an
  /// object as others are.
  bool VisitCastExpr(clang::CastExpr *conversion) override {
    if (conversion->getCastKind() == clang::CK_LValueToRValue)
      reads_.insert(conversion->getSubExpr()->IgnoreParens());
    const clang::Expr *operand = conversion->getSubExpr()->IgnoreParens();
    const RecordType into = recordTypeOf(conversion->getType());
    if (!into.record || !conversion->getType()->isPointerType() ||
        !operand->getType()->isVoidPointerType())
      return true;
    const auto *call = dyn_cast<clang::CallExpr>(operand->IgnoreParenImpCasts());
    if (!call)
      numbers_.untyped.insert(into.record);
    else if (!isOneOf(calleeName(call), {"malloc", "calloc", "realloc", "aligned_alloc"}))
      for (trace::Index group = 0; group < flow_.groups().size(); ++group)
        if (const clang::CXXRecordDecl *record = flow_.groups()[group].record;
            record && record->getCanonicalDecl() == into.record)
          numbers_.several.insert(group);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const CudaCall *known = cudaCallNamed(calleeName(call));
    const bool fillsIn =
        known && (known->kind == CudaCallKind::Allocation || known->kind == CudaCallKind::Address);
    for (unsigned i = 0; callee && i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const clang::Expr &target = *call->getArg(i)->IgnoreParenCasts();
      if (fillsIn ? i != 0 : untypedLevel(callee->getParamDecl(i)->getType()) != 2)
        continue;
      if (target.getType()->isDependentType() || isToHoldPointers(target.getType()))
        continue;
      if (fillsIn && known->kind == CudaCallKind::Allocation)
        noteAllocation(*call, target);
      else
        note(target, numbers_.several);
    }
    return true;
  }

private:
  void note(const clang::Expr &pointer, std::set<trace::Index> &groups) const {
    Referent referent;
    resolve(&pointer, referent);
    for (const clang::ValueDecl *declaration : referent.declarations)
      if (const trace::Index group = flow_.groupOf(declaration); group != trace::kNone)
        groups.insert(group);
  }

  bool noteArray(const clang::ValueDecl &declaration) {
    const clang::QualType type = declaration.getType().getNonReferenceType();
    const trace::Index group = type->isArrayType() ? flow_.groupOf(&declaration) : trace::kNone;
    if (group != trace::kNone && !ast_.getBaseElementType(type)->isPointerType())
      numbers_.several.insert(group);
    return true;
  }

  /// Of a pointer to records that is indexed, or walks.
  void noteSeveral(const clang::Expr &pointer) const {
    const clang::Expr &named = *pointer.IgnoreParenImpCasts();
    const clang::QualType type = named.getType();
    const bool isPointer = type->isPointerType() && !type->getPointeeType()->isPointerType();
    const bool isArray = type->isArrayType() && !ast_.getBaseElementType(type)->isPointerType();
    if ((isPointer || isArray) && recordTypeOf(type).record)
      note(named, numbers_.several);
  }

  /// Of `cudaMalloc(&rows, n * sizeof(R *))` with `R **rows`.
  static bool isToHoldPointers(clang::QualType target) {
    int levels = 0;
    for (; target->isPointerType(); target = target->getPointeeType())
      ++levels;
    return levels > 2;
  }

  void noteAllocation(const clang::CallExpr &call, const clang::Expr &target) {
    constexpr unsigned kBytes = 1;
    if (call.getNumArgs() <= kBytes || !call.getArg(kBytes)->getType()->isIntegerType())
      return note(target, numbers_.several);
    clang::QualType element = target.getType();
    while (element->isPointerType())
      element = element->getPointeeType();
    const clang::Expr &bytes = *call.getArg(kBytes);
    if (isOfOne(bytes, element))
      return note(target, numbers_.one);
    const clang::VarDecl *variable = localNamed(bytes);
    if (!variable || !variable->getInit() || !isOfOne(*variable->getInit(), element))
      return note(target, numbers_.several);
    SizeInVariable size{variable, {}};
    note(target, size.groups);
    sizesInVariables_.push_back(std::move(size));
  }

  static const clang::VarDecl *localNamed(const clang::Expr &expression) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() ? variable : nullptr;
  }

  /// At most one element. In the text of a template the size may depend: its instances tell.
  [[nodiscard]] bool isOfOne(const clang::Expr &bytes, clang::QualType element) const {
    if (bytes.isValueDependent())
      return true;
    clang::Expr::EvalResult value;
    return !element->isIncompleteType() && bytes.EvaluateAsInt(value, ast_) &&
           value.Val.getInt() <= ast_.getTypeSizeInChars(element).getQuantity();
  }

  const clang::ASTContext &ast_;
  const ArrayFlow &flow_;
  Numbers &numbers_;
  std::vector<SizeInVariable> sizesInVariables_;
  std::set<const clang::Expr *> reads_; ///< names of which only the value is taken
  std::set<const clang::VarDecl *> changed_;
};

/// A group of which no more is known than that it comes from such a variable.
bool isUntypedAlone(const ArrayGroup &group) {
  return std::ranges::all_of(group.unknownFlows, [](const auto &flow) {
    return flow.first.starts_with("a cast from") && flow.first.find("void *") != std::string::npos;
  });
}

bool isAllocated(const Origins &origins) {
  return origins.device || origins.managed || origins.pinned;
}

bool isPolymorphic(const ArrayGroup &group) {
  return group.record && group.record->hasDefinition() && group.record->isPolymorphic();
}

const clang::CXXRecordDecl *recordOf(const ArrayGroup &group) {
  return group.record ? group.record->getCanonicalDecl() : nullptr;
}

/// The groups of records that variables of type `void *` lead to, where some object is allocated
/// alone and nothing says that there may be arrays. All others of such records are several.
std::set<trace::Index> untypedObjects(const std::vector<ArrayGroup> &groups, Numbers &numbers) {
  std::set<trace::Index> objects;
  for (const clang::CXXRecordDecl *record : numbers.untyped) {
    std::set<trace::Index> own;
    bool isOne = false, isSeveral = false;
    for (trace::Index group = 0; group < groups.size(); ++group) {
      if (recordOf(groups[group]) != record)
        continue;
      own.insert(group);
      isOne |= numbers.one.contains(group);
      isSeveral |= numbers.several.contains(group) || !isUntypedAlone(groups[group]);
    }
    (isOne && !isSeveral ? objects : numbers.several).insert(own.begin(), own.end());
  }
  return objects;
}

} // namespace

std::set<trace::Index> singleObjects(const std::vector<std::unique_ptr<UnitReading>> &units) {
  Numbers numbers;
  for (const auto &unit : units) {
    ParsedUnit &parsed = *unit->host.unit;
    const clang::SourceManager &sources = parsed.sources();
    NumberVisitor visitor(parsed.ast(), unit->host.found.flow, numbers);
    for (clang::Decl *declaration : parsed.ast().getTranslationUnitDecl()->decls())
      if (declaration->getLocation().isValid() &&
          parsed.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration->getLocation()))))
        visitor.TraverseDecl(declaration);
    visitor.finish();
  }
  const std::vector<ArrayGroup> &groups = units.front()->host.found.flow.groups();
  const std::set<trace::Index> untyped = untypedObjects(groups, numbers);
  std::set<trace::Index> single;
  std::ranges::set_difference(numbers.one, numbers.several, std::inserter(single, single.end()));
  std::erase_if(single, [&](trace::Index group) {
    return !isAllocated(groups[group].origins) ||
           (groups[group].origins.unknown && !untyped.contains(group));
  });
  single.insert(untyped.begin(), untyped.end());
  // Objects of classes with virtual functions, which device code makes one by one.
  for (trace::Index group = 0; group < groups.size(); ++group)
    if (isPolymorphic(groups[group]) && !isAllocated(groups[group].origins) &&
        !groups[group].origins.symbol && !numbers.several.contains(group))
      single.insert(group);
  return single;
}

} // namespace relayout::instrument
