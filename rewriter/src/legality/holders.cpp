// SPDX-License-Identifier: Apache-2.0
#include "legality/holders.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <map>

namespace relayout::rewriter {

using clang::dyn_cast;

const clang::CXXRecordDecl *recordOfValue(clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record ? record->getCanonicalDecl() : nullptr;
}

/// What a pointer or reference leads to.
static clang::QualType behind(clang::QualType type) {
  type = type.getNonReferenceType();
  return type->isPointerType() ? type->getPointeeType() : type;
}

const clang::CXXRecordDecl *recordBehind(clang::QualType type) {
  return recordOfValue(behind(type));
}

Holders holdersIn(const Program &program) {
  Holders holders;
  bool grows = true;
  while (grows) {
    const std::size_t before = holders.size();
    for (const clang::DeclaratorDecl *declarator : program.index.declarators()) {
      const auto *field = dyn_cast<clang::FieldDecl>(declarator);
      const auto *owner = field ? dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr;
      if (!owner || owner->isLambda())
        continue;
      if (program.targetOf(field) || holders.count(recordOfValue(field->getType())))
        holders.insert(owner->getCanonicalDecl());
      if (const clang::CXXRecordDecl *definition = owner->getDefinition())
        for (const clang::CXXBaseSpecifier &base : definition->bases())
          if (holders.count(recordOfValue(base.getType())))
            holders.insert(owner->getCanonicalDecl());
    }
    grows = holders.size() != before;
  }
  return holders;
}

namespace {

class DeclaredFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit DeclaredFunctions(Program &program) : program_(program), own_(holdersIn(program)) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!isUsers(program_, *function) || function->isTemplated() || function->hasBody())
      return true;
    const LinkedFunction linked = program_.linked.bodyOf(program_, *function);
    if (!linked.program || !linked.body || linked.body->getNumParams() != function->getNumParams())
      return true;
    const auto *method = dyn_cast<clang::CXXMethodDecl>(function);
    const auto *other = dyn_cast<clang::CXXMethodDecl>(linked.body);
    if (method && other)
      compare(*method->getParent(), *other->getParent()->getCanonicalDecl(), linked, *function);
    for (unsigned i = 0; i < function->getNumParams(); ++i) {
      const clang::RecordDecl *here = structBehind(function->getParamDecl(i)->getType());
      const clang::CXXRecordDecl *there = recordBehind(linked.body->getParamDecl(i)->getType());
      if (here && there)
        compare(*here, *there, linked, *function);
    }
    return true;
  }

private:
  /// In C as well.
  static const clang::RecordDecl *structBehind(clang::QualType type) {
    return behind(type)->getBaseElementTypeUnsafe()->getAsRecordDecl();
  }

  void compare(const clang::RecordDecl &here, const clang::CXXRecordDecl &there,
               const LinkedFunction &linked, const clang::FunctionDecl &function) {
    auto known = others_.find(linked.program);
    if (known == others_.end())
      known = others_.emplace(linked.program, holdersIn(*linked.program)).first;
    if (!known->second.contains(&there) || !here.getDefinition())
      return;
    const auto *own = dyn_cast<clang::CXXRecordDecl>(&here);
    if (own && own_.contains(own->getCanonicalDecl()))
      return;
    const std::string name = there.getNameAsString();
    program_.findings.refuse(
        {Code::DeclarationFixed,
         fmt::format("'{}' holds a pointer that becomes a view where '{}' is defined, and is "
                     "another struct here",
                     name, function.getNameAsString()),
         here.getDefinition()->getLocation(),
         fmt::format("define '{}' once, in a header of both files", name)});
  }

  Program &program_;
  Holders own_;
  std::map<const Program *, Holders> others_;
};

} // namespace

void checkOtherDefinitions(Program &program) {
  DeclaredFunctions(program).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
