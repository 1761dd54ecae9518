// SPDX-License-Identifier: Apache-2.0
// Asks Clang for the definitions at the end of a unit, when it still can make them.
#include "parse/named_instances.h"

#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>

#include <algorithm>
#include <vector>

namespace relayout::instrument {
namespace {

using Instance = clang::ClassTemplateSpecializationDecl;

/// A template may ask more of its arguments than that they have a name: those that are no objects
/// are left alone.
bool isOfObjects(const Instance &instance) {
  return std::ranges::all_of(
      instance.getTemplateArgs().asArray(), [](const clang::TemplateArgument &argument) {
        return argument.getKind() != clang::TemplateArgument::Type ||
               (argument.getAsType()->isObjectType() && !argument.getAsType()->isIncompleteType());
      });
}

class NamedAlone : public clang::DynamicRecursiveASTVisitor {
public:
  explicit NamedAlone(const ParsedUnit &unit) : unit_(unit) {}

  bool VisitClassTemplateDecl(clang::ClassTemplateDecl *declaration) override {
    const clang::CXXRecordDecl *pattern = declaration->getTemplatedDecl()->getDefinition();
    if (!pattern || declaration->getDeclContext()->isDependentContext() || !isUsers(*pattern))
      return true;
    for (Instance *instance : declaration->specializations())
      if (instance->getSpecializationKind() == clang::TSK_Undeclared &&
          !instance->isInvalidDecl() && isOfObjects(*instance))
        found.push_back(instance);
    return true;
  }

  std::vector<Instance *> found;

private:
  [[nodiscard]] bool isUsers(const clang::CXXRecordDecl &record) const {
    const clang::SourceManager &sources = record.getASTContext().getSourceManager();
    return unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(record.getLocation())));
  }

  const ParsedUnit &unit_;
};

class Definer : public clang::SemaConsumer {
public:
  explicit Definer(const ParsedUnit &unit) : unit_(unit) {}

  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    clang::DiagnosticsEngine &diagnostics = context.getDiagnostics();
    if (!sema_ || diagnostics.hasErrorOccurred())
      return;
    NamedAlone named(unit_);
    named.TraverseDecl(context.getTranslationUnitDecl());
    diagnostics.setSuppressAllDiagnostics(true); // what the program does not ask for is no fault
    for (Instance *instance : named.found)
      sema_->isCompleteType(instance->getLocation(),
                            compatibility::canonicalTypeOf(context, instance));
    diagnostics.setSuppressAllDiagnostics(false);
  }

private:
  const ParsedUnit &unit_;
  clang::Sema *sema_ = nullptr;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> definingInstances(const ParsedUnit &unit) {
  return std::make_unique<Definer>(unit);
}

} // namespace relayout::instrument
