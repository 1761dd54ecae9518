// SPDX-License-Identifier: Apache-2.0
// Starts a climb at each name of a rewritten array, and looks at what the climbs found together.
#include "coordinates/coordinates.h"
#include "coordinates/extent_parameters.h"
#include "legality/forwarded_arguments.h"
#include "legality/function_values.h"
#include "legality/padding_uses.h"
#include "legality/unread_text.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/launches_by_call.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/pointer_owners.h"
#include "rules/climb.h"
#include "rules/declaration_checks.h"
#include "rules/deduced_types.h"
#include "rules/one_meaning.h"
#include "rules/pattern_text.h"
#include "rules/template_copies.h"
#include "rules/untyped_copies.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// Where a name or a call's function is spelled. What Clang says of the function of `a(i)` and
/// `a[i]` differs between a template and its instances.
clang::SourceLocation placeOfUse(const clang::Expr &expression) {
  if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(&expression))
    return call->getOperatorLoc();
  const auto *call = dyn_cast<clang::CallExpr>(&expression);
  return call ? call->getCallee()->getExprLoc() : expression.getExprLoc();
}

/// The object of a conversion that the text does not write; null for other uses.
const clang::Expr *objectConvertedBy(const clang::Expr &expression) {
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(&expression);
  const auto *member = call ? dyn_cast<clang::MemberExpr>(call->getCallee()) : nullptr;
  return member && member->getMemberLoc().isInvalid() ? member->getBase() : nullptr;
}

Place startOf(const clang::Expr &name) {
  const clang::QualType type = name.getType();
  if (instrument::isPointerContainer(type))
    return {.what = Reached::Container, .expression = &name};
  return type->isRecordType()
             ? elementAt(Element::Form::Reference, &name, &name, type.isConstQualified())
             : pointerAt(&name);
}

class Uses {
public:
  Uses(Program &program, ReferenceChecks &references)
      : program_(program), references_(references) {}

  void rewrite() {
    for (const Naming &naming : program_.index.namings())
      rewrite(naming);
    if (program_.findings.empty())
      refuseOtherInstances();
    noteUnusedTemplates();
    if (program_.findings.empty() && program_.extentParameters)
      program_.extentParameters->write();
    if (program_.findings.empty()) {
      editPatterns(program_);
      writeTemplateCopies(program_);
    }
    if (program_.findings.empty())
      writeUntypedCopies(program_);
    if (program_.findings.empty())
      refuseBytesInRows();
    if (program_.findings.empty())
      refuseOtherMeanings(program_);
    if (program_.findings.empty() && program_.coordinates)
      program_.coordinates->dropUnused(program_);
    if (program_.findings.empty()) {
      warnOfInactiveBranches(program_);
      warnOfUsedPadding(program_);
    }
  }

private:
  /// A use in a template itself; its instantiations are judged.
  struct PatternUse {
    std::string record;
    clang::SourceLocation where;
  };

  /// Where bytes may end inside an element, the header moves views by elements. Those of rows move
  /// by rows.
  void refuseBytesInRows() {
    for (const auto &[group, target] : program_.targets)
      if (!target->shape.rows.empty() && program_.parts[target].insideElements)
        program_.findings.refuse(
            Code::UnsupportedCudaCall,
            fmt::format("arrays of '{}' are not rewritten: they have rows, and the bytes of a copy "
                        "are not written as a number of elements",
                        target->shape.name),
            program_.flow.groups()[group].declarations.front()->getLocation(),
            "write them as count * sizeof(element)");
  }

  void rewrite(const Naming &naming) {
    editTemplateArguments(program_, naming);
    if (const auto *call = dyn_cast<clang::CallExpr>(naming.expression))
      if (const CudaCall *known = cudaCallNamed(runtimeName(program_, *call));
          known && known->kind == CudaCallKind::Reset)
        for (const auto &[group, target] : program_.targets)
          program_.parts[target].resetsDevice = true;
    const clang::ValueDecl *named = namedBy(naming);
    if (!named)
      return;
    if (isa<clang::FunctionDecl>(named) && !isa<clang::CallExpr>(naming.expression))
      return checkFunctionName(naming, *cast<clang::FunctionDecl>(named));
    if (const Target *target = program_.targetOf(named);
        target && !isKeptReference(program_, named))
      climb(naming, *named, *target);
  }

  void climb(const Naming &naming, const clang::ValueDecl &named, const Target &target) {
    const clang::Expr *converted = objectConvertedBy(*naming.expression);
    const clang::SourceLocation location =
        converted ? converted->getExprLoc() : placeOfUse(*naming.expression);
    Climb climb(program_, references_, target, naming.function);
    std::optional<FilePlace> place = program_.reader.place(location);
    if (place && converted) // the object's name is a use of its own
      place->offset = program_.reader.tokenRange(location)->end;
    if (!place && naming.isDependent)
      return climb.refuse(refusalOfEdit(program_, target, location));
    if (naming.isDependent) {
      patternUses_.emplace(*place, PatternUse{target.shape.name, location});
      return;
    }
    if (decidesDeducedType(program_, *naming.expression, naming.function))
      return climb.refuse({Code::UnsupportedElementUse,
                           "decltype(auto) takes its type from an element or a field", location,
                           "write the type out"});
    const auto *owner = dyn_cast<clang::CXXOperatorCallExpr>(naming.expression);
    if (owner && instrument::ownedThrough(*owner->getDirectCallee()))
      return climb.refuse({Code::UnsupportedElementUse,
                           "an element is named by the object that owns the array",
                           owner->getExprLoc(), "name it by the pointer: p.get()[i]"});
    climb.run(startOf(*naming.expression));
    if (!place) { // in the body of a macro, where a plain array's subscript may stay
      if (!climb.refused && !climb.gathered.empty())
        climb.refuse(refusalOfEdit(program_, target, location));
      return;
    }
    // Where the template of an instance that is written out keeps its text, that fits what it
    // declares.
    const auto *declared = dyn_cast<clang::DeclaratorDecl>(&named);
    const clang::NamedDecl *copy = program_.copyAround(naming.function);
    if (copy == nullptr || (declared && program_.copyAround(scopeOf(program_, *declared)) == copy))
      instantiated_.insert(*place);
    else
      inCopies_.insert(*place);
    if (!climb.refused)
      warnOfStringified(program_, target, location);
    // The test of `if (R *p = find())` names p where it is declared, and edits nothing.
    // The text of a template that passes its arguments on serves pointers and views.
    if (climb.gathered.empty() && (location == named.getLocation() || isForwarded(program_, named)))
      return;
    if (copy == nullptr && !climb.gathered.empty() && instrument::ownedThrough(named) &&
        naming.function && naming.function->isTemplateInstantiation())
      inInstances_.emplace(*place, &naming);
    for (const Edit &edit : climb.gathered)
      program_.editedFiles[&target].insert(edit.range.begin.path);
    if (climb.refused || program_.editsIn(naming.function).add(*place, std::move(climb.gathered)))
      return;
    separateInstances(program_, naming.function);
    climb.refuse({Code::ConflictingEdits, "one name would have to be edited in two ways", location,
                  "it stands in a macro argument or a template that is used in different ways; "
                  "write the uses out"});
  }

  /// The text of a template is edited for an instance, and names what is no rewritten array in
  /// another: the two have no text in common.
  void refuseOtherInstances() {
    if (inInstances_.empty())
      return;
    for (const Naming &naming : program_.index.namings()) {
      const clang::ValueDecl *named = naming.isDependent ? nullptr : namedBy(naming);
      if (!named || !naming.function || !naming.function->isTemplateInstantiation() ||
          program_.targetOf(named) || program_.copyAround(naming.function))
        continue;
      const std::optional<FilePlace> place = program_.reader.place(placeOfUse(*naming.expression));
      const auto edited = place ? inInstances_.find(*place) : inInstances_.end();
      if (edited == inInstances_.end() ||
          edited->second->expression->getStmtClass() != naming.expression->getStmtClass() ||
          !naming.expression->getType()->isPointerType())
        continue;
      separateInstances(program_, edited->second->function);
      return program_.findings.refuse(
          {Code::ConflictingEdits,
           "a template works on a rewritten array in one instance, and on other memory in another",
           edited->second->expression->getExprLoc(), "write the function out for the record"});
    }
  }

  /// The record whose view changes a function's type, if there is one.
  const Target *changedBy(const clang::FunctionDecl &function) const {
    const Target *target = program_.targetOf(&function);
    for (const clang::ParmVarDecl *parameter : function.parameters())
      if (!isKeptReference(program_, parameter) && program_.targetOf(parameter))
        target = program_.targetOf(parameter);
    return target;
  }

  /// A function whose type changes may only be called, or named to the CUDA runtime.
  void checkFunctionName(const Naming &naming, const clang::FunctionDecl &function) {
    const Target *target = changedBy(function);
    if (!target || naming.isDependent || isCalled(*naming.expression))
      return;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
        name &&
        (isLaunchedByTemplate(program_, *name) || isPutIntoPointer(program_, *name, function)))
      return;
    Climb(program_, references_, *target, naming.function)
        .refuse({Code::PointerEscapes,
                 fmt::format("'{}' is used as a value, and its type changes with '{}'",
                             function.getNameAsString(), target->shape.name),
                 naming.expression->getExprLoc(),
                 "call it by its name, or put it into a pointer whose type is written out"});
  }

  bool isCalled(const clang::Expr &name) const {
    const clang::Stmt *current = &name;
    while (const clang::Stmt *parent = program_.index.parentOf(current).stmt) {
      if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
        const std::string callee = runtimeName(program_, *call);
        return call->getCallee() == current || callee.starts_with("cudaFunc") ||
               callee.starts_with("cudaOccupancy") || instrument::launchByCall(*call);
      }
      const auto *unary = dyn_cast<clang::UnaryOperator>(parent);
      if (!isa<clang::ParenExpr, clang::CastExpr>(parent) &&
          !(unary && unary->getOpcode() == clang::UO_AddrOf))
        return false;
      current = parent;
    }
    return false;
  }

  void noteUnusedTemplates() {
    for (const auto &[place, use] : patternUses_)
      if (!instantiated_.count(place))
        program_.uninstantiated.try_emplace(
            place,
            inCopies_.contains(place)
                ? Refusal{Code::TemplateDecidesType,
                          fmt::format("arrays of '{}' are used in a template whose instance is "
                                      "written out, and which keeps its text",
                                      use.record),
                          use.where, "pass them as a parameter"}
                : Refusal{Code::TemplateDecidesType,
                          fmt::format("arrays of '{}' are used in a template that is never "
                                      "instantiated here",
                                      use.record),
                          use.where, "remove the template or use it"});
  }

  Program &program_;
  ReferenceChecks &references_;
  std::map<FilePlace, PatternUse> patternUses_;
  std::set<FilePlace> instantiated_;
  std::set<FilePlace> inCopies_;                    ///< named by instances that are written out
  std::map<FilePlace, const Naming *> inInstances_; ///< edited for others, by place
};

} // namespace

void rewriteUses(Program &program, ReferenceChecks &references) {
  Uses(program, references).rewrite();
}

} // namespace relayout::rewriter
