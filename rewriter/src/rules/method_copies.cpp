// SPDX-License-Identifier: Apache-2.0
// Writes instances of member function templates as methods.
#include "rules/method_copies.h"

#include "rules/copy_names.h"
#include "rules/early_declarations.h"
#include "rules/function_text.h"

#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::isa;

/// Behind the class, types that it declares have longer names.
bool returnsTypeOfClass(const clang::CXXMethodDecl &pattern) {
  const auto *named = pattern.getReturnType()->getAs<clang::TypedefType>();
  const clang::DeclContext *scope = nullptr;
  if (named)
    scope = named->getDecl()->getDeclContext();
  else if (const clang::TagDecl *tag = pattern.getReturnType()->getAsTagDecl())
    scope = tag->getDeclContext();
  return scope && scope->isRecord();
}

class MethodCopyWriter : FunctionText {
public:
  MethodCopyWriter(Program &program, const clang::CXXMethodDecl &instance, EditSet &edits)
      : FunctionText(program, instance, edits), method_(instance),
        template_(clang::cast<clang::CXXMethodDecl>(pattern_)) {}

  void write() {
    const std::optional<FileRange> range = functionText();
    const std::optional<std::string> name = range ? functionName() : std::nullopt;
    if (!name)
      return;
    const FilePlace behind{range->begin.path, range->end};
    if (knowsRecordsAt(template_.getBody()->getEndLoc()))
      return add(*range, behind, indentation(*range));
    declareAndDefine(*range, behind, *name);
  }

private:
  void declareAndDefine(const FileRange &range, const FilePlace &behind, const std::string &name) {
    const std::optional<FilePlace> body = reader_.place(template_.getBody()->getBeginLoc());
    if (!body || returnsTypeOfClass(template_))
      return refuse("returns a type of its class, which is defined before the record",
                    "define the record before the class");
    for (const Target *target : viewsOf(method_))
      if (!declareViewsBefore(program_, *target, *template_.getParent()))
        return refuse("is declared before the record, which cannot be declared in front of it",
                      "define the record before the class");
    const FileRange head{range.begin, body->offset};
    addEarlyDeclaration(range, behind, head, indentation(range));
    if (!leaveOutSaidBefore(head) ||
        !giveName(fmt::format("{}::{}", template_.getParent()->getNameAsString(), name)))
      return refuse("has default arguments or a name in a macro", "write the template out");
    const CodePlace place = placeBehind(range, template_.getBody()->getEndLoc());
    const std::string inner = namespaces().substr(place.namespaces.size());
    if (!inner.empty()) // the next copy stands in them as well
      program_.edits.drop(closedNamespaces(inner).substr(1) + "\n\n" + openedNamespaces(inner));
    const std::string inlined = template_.isInlineSpecified() ? "" : "inline ";
    add(range, place.place, place.closing + openedNamespaces(inner) + inlined,
        closedNamespaces(inner) + place.opening, indentation(range));
  }

  /// The records of its result and its parameters.
  [[nodiscard]] std::set<const Target *> viewsOf(const clang::CXXMethodDecl &method) const {
    std::set<const Target *> views{program_.targetOf(&method)};
    for (const clang::ParmVarDecl *parameter : method.parameters())
      views.insert(program_.targetOf(parameter));
    views.erase(nullptr);
    return views;
  }

  /// Of the template's line.
  [[nodiscard]] std::string indentation(const FileRange &range) const {
    const std::optional<FilePlace> start = reader_.place(parametersOf(pattern_).getTemplateLoc());
    return start ? indentationAt(reader_.fileText(range.begin.path), start->offset) : "";
  }

  const clang::CXXMethodDecl &method_;
  const clang::CXXMethodDecl &template_;
};

} // namespace

std::string obstacleToMethodCopy(const Program &program, const clang::CXXMethodDecl &instance) {
  const auto *pattern =
      clang::cast<clang::CXXMethodDecl>(instance.getTemplateInstantiationPattern());
  const clang::CXXRecordDecl *parent = pattern->getParent();
  if (isa<clang::CXXConstructorDecl, clang::CXXConversionDecl>(pattern) ||
      pattern->isOverloadedOperator())
    return "is a constructor or an operator";
  if (!parent->getDeclContext()->getRedeclContext()->isFileContext() || parent->isDependentType() ||
      parent->isInAnonymousNamespace())
    return "is a member of a nested class or of a class template";
  if (!pattern->doesThisDeclarationHaveABody() || pattern->isOutOfLine())
    return "is a template that is defined outside of its class";
  if (keepsItsType(program, instance))
    return "neither takes nor returns pointers to elements, so that its calls would not tell a "
           "method for them";
  return {};
}

void writeMethodCopy(Program &program, const clang::CXXMethodDecl &instance, EditSet &edits) {
  MethodCopyWriter(program, instance, edits).write();
}

} // namespace relayout::rewriter
