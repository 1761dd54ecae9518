// SPDX-License-Identifier: Apache-2.0
// Reads how a declaration spells its type.
#include "rules/written_type.h"

#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/pointer_containers.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace relayout::rewriter {

namespace compatibility = instrument::compatibility;

namespace {

/// Whether template arguments are themselves made of a parameter's, in an instantiation.
class ParameterUse : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitSubstTemplateTypeParmTypeLoc(clang::SubstTemplateTypeParmTypeLoc) override {
    return !(found = true);
  }
  bool VisitSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr *) override {
    return !(found = true);
  }
  bool found = false;
};

/// Whether what stands before an alias are namespaces, and classes that no template makes.
class PlainQualifier : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc) override { return isPlain = ++aliases_ == 1; }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc) override { return isPlain = false; }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc) override {
    return isPlain = false;
  }
  bool isPlain = true;

private:
  int aliases_ = 0; // the one that is qualified is the first
};

bool isOfPlainClass(clang::TypeLoc whole, const clang::NamedDecl &alias) {
  for (const clang::DeclContext *scope = alias.getDeclContext(); scope; scope = scope->getParent())
    if (clang::isa<clang::ClassTemplateSpecializationDecl, clang::FunctionDecl>(scope))
      return false;
  PlainQualifier qualifier;
  qualifier.TraverseTypeLoc(whole);
  return qualifier.isPlain;
}

/// `Particle<float>`, `Point<3>`.
void readInstance(clang::TemplateSpecializationTypeLoc instance, bool isQualified,
                  WrittenType &written) {
  written.templateName = instance.getTemplateNameLoc();
  written.base = instance.getRAngleLoc();
  const clang::TemplateName name = instance.getTypePtr()->getTemplateName();
  if (const clang::UsingShadowDecl *shadow = name.getAsUsingShadowDecl())
    written.alias = shadow;
  else if (instance.getTypePtr()->isTypeAlias())
    written.alias = name.getAsTemplateDecl();
  written.isQualified = isQualified;
  ParameterUse parameters;
  parameters.TraverseTypeLoc(instance);
  written.isOfTemplate = parameters.found;
}

/// `typename M::Scalar`, where M is a template's parameter.
bool isNamedByParameter(clang::TypeLoc type) {
  ParameterUse parameters;
  parameters.TraverseTypeLoc(type);
  return parameters.found;
}

void readBase(clang::TypeLoc type, WrittenType &written) {
  const clang::TypeLoc whole = type;
  const compatibility::NamedType named = compatibility::namedType(type.getUnqualifiedLoc());
  type = named.name;
  if (const auto tag = type.getAs<clang::TagTypeLoc>()) {
    if (tag.isDefinition())
      written.problem = "defines the record in the same declaration";
    written.base = tag.getNameLoc();
    written.keyword = named.keyword;
    written.qualifier = named.qualifier;
    written.isOfTemplate = named.qualifier.isValid() && isNamedByParameter(whole);
  } else if (const auto builtin = type.getAs<clang::BuiltinTypeLoc>()) {
    written.base = builtin.getEndLoc();
    if (builtin.getBeginLoc() != builtin.getEndLoc())
      written.keyword = builtin.getBeginLoc();
    if (builtin.getTypePtr()->getKind() == clang::BuiltinType::ULongLong)
      written.problem = "has a type that is written in three words";
  } else if (const auto alias = type.getAs<clang::TypedefTypeLoc>()) {
    written.base = alias.getNameLoc();
    written.alias = compatibility::declarationOf(alias);
    written.isQualified = named.isQualified;
    written.keyword = named.keyword; // `typename`
    written.qualifier = named.qualifier;
    written.isOfTemplate = named.isQualified && isNamedByParameter(whole);
    written.isOfPlainClass = named.isQualified && isOfPlainClass(whole, *written.alias);
  } else if (const auto shadow = type.getAs<clang::UsingTypeLoc>()) {
    written.base = shadow.getNameLoc();
    written.alias = compatibility::declarationOf(shadow);
    written.isQualified = named.isQualified;
    written.keyword = named.keyword;
    written.qualifier = named.qualifier;
  } else if (const auto deduced = type.getAs<clang::AutoTypeLoc>()) {
    written.base = deduced.getNameLoc();
    written.isAuto = true;
  } else if (const auto parameter = type.getAs<clang::SubstTemplateTypeParmTypeLoc>()) {
    written.base = parameter.getNameLoc();
    written.isTemplateParameter = written.isOfTemplate = true;
  } else if (const auto instance = type.getAs<clang::TemplateSpecializationTypeLoc>()) {
    written.keyword = named.keyword;
    readInstance(instance, named.isQualified, written);
  } else {
    written.problem = "has a type that is not written as a plain name";
  }
}

/// `[2][3]` of an array of rows, and what they are made of.
void readRowsBehind(clang::ArrayTypeLoc array, WrittenType &written) {
  if (!array) {
    written.problem = "has a type that is not written as a plain name";
    return;
  }
  written.brackets = array.getBracketsRange();
  clang::TypeLoc element = array.getElementLoc();
  while (const auto inner = element.getUnqualifiedLoc().getAs<clang::ArrayTypeLoc>()) {
    written.brackets.setEnd(inner.getBracketsRange().getEnd());
    element = inner.getElementLoc();
  }
  readBase(element, written);
}

/// The type behind all pointers, references and arrays: what declarators of a declaration share.
clang::TypeLoc innermost(clang::TypeLoc type) {
  while (true) {
    type = type.getUnqualifiedLoc();
    if (const auto pointer = type.getAs<clang::PointerTypeLoc>())
      type = pointer.getPointeeLoc();
    else if (const auto reference = type.getAs<clang::ReferenceTypeLoc>())
      type = reference.getPointeeLoc();
    else if (const auto array = type.getAs<clang::ArrayTypeLoc>())
      type = array.getElementLoc();
    else if (const auto parens = type.getAs<clang::ParenTypeLoc>())
      type = parens.getInnerLoc();
    else
      return type;
  }
}

/// `double (*p)[3]`.
void readRows(clang::ParenTypeLoc parens, WrittenType &written) {
  written.parens = {parens.getLParenLoc(), parens.getRParenLoc()};
  readRowsBehind(parens.getInnerLoc().getUnqualifiedLoc().getAs<clang::ArrayTypeLoc>(), written);
}

/// A parameter `R p[]`, or an array of pointers `R *p[2]`.
void readArray(clang::ArrayTypeLoc array, WrittenType &written) {
  clang::TypeLoc element = array.getElementLoc().getUnqualifiedLoc();
  while (const auto inner = element.getAs<clang::ArrayTypeLoc>())
    element = inner.getElementLoc().getUnqualifiedLoc();
  if (const auto pointer = element.getAs<clang::PointerTypeLoc>()) {
    written.sign = pointer.getStarLoc();
    return readBase(pointer.getPointeeLoc(), written);
  }
  if (element.getType()->isPointerType()) // by an alias
    return readBase(element, written);
  readRowsBehind(array, written);
}

/// `R **p`, `R *&p`, `Rs *p` with an alias of `R *`: the view takes the place of the inner pointer.
clang::TypeLoc behindOuter(clang::TypeLoc type) {
  type = type.getUnqualifiedLoc();
  clang::TypeLoc inner;
  if (const auto pointer = type.getAs<clang::PointerTypeLoc>())
    inner = pointer.getPointeeLoc().getUnqualifiedLoc();
  else if (const auto reference = type.getAs<clang::LValueReferenceTypeLoc>())
    inner = reference.getPointeeLoc().getUnqualifiedLoc();
  const bool isPointer =
      inner && (inner.getAs<clang::PointerTypeLoc>() ||
                (inner.getType()->isPointerType() && inner.getType()->getAs<clang::TypedefType>()));
  return isPointer ? inner : type;
}

/// `std::vector<R *>` with its template's own name; null for an alias of it, and for other types.
clang::TemplateSpecializationTypeLoc containerWritten(clang::TypeLoc type) {
  type = type.getUnqualifiedLoc();
  if (const auto reference = type.getAs<clang::ReferenceTypeLoc>())
    type = reference.getPointeeLoc().getUnqualifiedLoc();
  const auto instance =
      compatibility::namedType(type).name.getAs<clang::TemplateSpecializationTypeLoc>();
  const bool isContainer = instance && !instance.getTypePtr()->isTypeAlias() &&
                           instrument::isPointerContainer(type.getType()) &&
                           instance.getArgLoc(0).getTypeSourceInfo();
  return isContainer ? instance : clang::TemplateSpecializationTypeLoc();
}

} // namespace

WrittenType readType(clang::TypeLoc type) {
  if (const auto container = containerWritten(type)) {
    WrittenType held = readType(heldTypeIn(type));
    held.container = {container.getLAngleLoc(), container.getRAngleLoc()};
    return held;
  }
  WrittenType written;
  type = behindOuter(type);
  if (const auto pointer = type.getAs<clang::PointerTypeLoc>()) {
    written.sign = pointer.getStarLoc();
    if (const auto rows = pointer.getPointeeLoc().getUnqualifiedLoc().getAs<clang::ParenTypeLoc>())
      readRows(rows, written);
    else
      readBase(pointer.getPointeeLoc(), written);
  } else if (const auto reference = type.getAs<clang::LValueReferenceTypeLoc>()) {
    written.sign = reference.getAmpLoc();
    readBase(reference.getPointeeLoc(), written);
  } else if (const auto forwarded = type.getAs<clang::RValueReferenceTypeLoc>()) {
    written.sign = forwarded.getAmpAmpLoc(); // `auto &&`, bound to an element
    readBase(forwarded.getPointeeLoc(), written);
  } else if (const auto array = type.getAs<clang::ArrayTypeLoc>()) {
    readArray(array, written);
  } else {
    readBase(type, written);
  }
  return written;
}

clang::TypeLoc heldTypeIn(clang::TypeLoc container) {
  const auto instance = containerWritten(container);
  return instance ? instance.getArgLoc(0).getTypeSourceInfo()->getTypeLoc() : clang::TypeLoc();
}

WrittenType readTypeInTemplate(clang::TypeLoc type) {
  WrittenType written = readType(type);
  if (const auto parameter = innermost(type).getAs<clang::TemplateTypeParmTypeLoc>()) {
    written.base = parameter.getNameLoc();
    written.isTemplateParameter = written.isOfTemplate = true;
    written.problem.clear();
  }
  return written;
}

WrittenType readSharedBase(clang::TypeLoc type) {
  WrittenType written;
  readBase(innermost(type), written);
  return written;
}

} // namespace relayout::rewriter
