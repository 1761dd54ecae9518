// SPDX-License-Identifier: Apache-2.0
// Writes instances of member function templates as methods.
#include "rules/method_copies.h"

#include "rules/copied_text.h"
#include "rules/copy_names.h"
#include "rules/early_declarations.h"

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

class MethodCopyWriter : CopiedText {
public:
  MethodCopyWriter(Program &program, const clang::CXXMethodDecl &instance, EditSet &edits)
      : CopiedText(program, instance, edits), method_(instance),
        template_(clang::cast<clang::CXXMethodDecl>(pattern_)) {}

  void write() {
    const std::optional<FileRange> range = rangeTo(template_.getBody()->getEndLoc());
    if (!range)
      return refuse("is spelled by a macro", "write the template out");
    if (!dropDiscarded())
      return refuse("has an `if constexpr` that is spelled by a macro", "write the template out");
    if (!nameParameters(method_.getTemplateSpecializationArgs()->asArray()))
      return refuse("names its parameters in a macro", "write the names out");
    std::string name = template_.getNameAsString();
    if (needsOwnName(program_, method_)) {
      const std::optional<std::string> own = ownNameOf(program_, method_);
      if (!own || !giveName(*own))
        return refuse("needs a name of its own, which is taken or in a macro",
                      "rename it, or write the instance out");
      name = *own;
    }
    const FilePlace behind{range->begin.path, range->end};
    if (knowsRecordsAt(template_.getBody()->getEndLoc()))
      return add(*range, behind, indentation(*range));
    declareAndDefine(*range, behind, name);
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
    addEarlyDeclaration(range, behind, {range.begin, body->offset}, indentation(range));
    if (!leaveOutOfDefinition(range, *body) ||
        !giveName(fmt::format("{}::{}", template_.getParent()->getNameAsString(), name)))
      return refuse("has default arguments or a name in a macro", "write the template out");
    const CodePlace place = placeBehind(range, template_.getBody()->getEndLoc());
    const std::string inner = namespaces().substr(place.namespaces.size());
    if (!inner.empty()) // the next copy stands in them as well
      program_.edits.drop(closedNamespaces(inner).substr(1) + "\n\n" + openedNamespaces(inner));
    const std::string inlined =
        reader_.text({range.begin, body->offset}).find("inline") == std::string::npos ? "inline "
                                                                                      : "";
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

  /// What the definition may not say again: `static` and default arguments.
  [[nodiscard]] bool leaveOutOfDefinition(const FileRange &range, const FilePlace &body) {
    bool isWhole = true;
    if (const std::size_t word = reader_.text({range.begin, body.offset}).find("static ");
        template_.isStatic() && word != std::string::npos)
      isWhole = erase({{range.begin.path, range.begin.offset + static_cast<unsigned>(word)},
                       range.begin.offset + static_cast<unsigned>(word) + 7});
    return eraseDefaultArguments(template_) && isWhole;
  }

  /// Of the template's line.
  [[nodiscard]] std::string indentation(const FileRange &range) const {
    const std::string &text = reader_.fileText(range.begin.path);
    const clang::SourceLocation first = parametersOf(pattern_).getTemplateLoc();
    const std::optional<FilePlace> start = reader_.place(first);
    if (!start)
      return {};
    const std::size_t line = text.rfind('\n', start->offset) + 1;
    const std::size_t word = text.find_first_not_of(" \t", line);
    return text.substr(line, word - line);
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
