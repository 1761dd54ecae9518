// SPDX-License-Identifier: Apache-2.0
// Copies a method's text behind its class, with an object in place of `this`, and calls the copy
// where arrays are what the method is called on.
#include "structs/method_functions.h"

#include "relayout/instrument/clang/symbols.h"
#include "structs/method_body.h"
#include "structs/name_text.h"
#include "structs/split_text.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace relayout::instrument {
namespace {

using clang::isa;

bool isCamel(const std::string &name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

std::string textWith(const Changes &changes, const std::string &file, unsigned begin,
                     unsigned end) {
  std::string text;
  unsigned done = begin;
  for (auto change = changes.lower_bound(begin); change != changes.end() && change->first < end;
       ++change) {
    if (change->first < done)
      continue;
    text += file.substr(done, change->first - done) + change->second.second;
    done = change->second.first;
  }
  return text + file.substr(done, end - done);
}

/// A method of a class of its own, whose text is the function's.
bool mayBecomeFunction(const clang::CXXMethodDecl &method) {
  const clang::CXXRecordDecl &record = *method.getParent();
  const clang::QualType result = method.getReturnType();
  return method.isInstance() && !method.isVirtual() && !method.isConst() && !method.isVolatile() &&
         method.getRefQualifier() == clang::RQ_None && !method.isOverloadedOperator() &&
         !method.isVariadic() &&
         !isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl, clang::CXXConversionDecl>(
             method) &&
         method.getTemplatedKind() == clang::FunctionDecl::TK_NonTemplate &&
         !record.isDependentContext() && !isa<clang::ClassTemplateSpecializationDecl>(record) &&
         record.getIdentifier() && record.getDeclContext()->getRedeclContext()->isFileContext() &&
         !record.isUnion() && !result->isReferenceType() && !result->isPointerType();
}

/// The methods that a method calls on its object and that only its class may call: nothing but
/// functions of their own can take their place.
class PrivateCalls : public clang::DynamicRecursiveASTVisitor {
public:
  explicit PrivateCalls(std::set<std::string> &found) : found_(found) {}

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    if (method && method->getAccess() != clang::AS_public &&
        isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
      found_.insert(methodName(*method));
    return true;
  }

private:
  std::set<std::string> &found_;
};

/// Finds the methods that become functions, in all units, and adds those that these need.
class MethodFinder : public clang::DynamicRecursiveASTVisitor {
public:
  MethodFinder(ParsedUnit &unit, std::set<std::string> &wanted, Methods &found)
      : unit_(unit), wanted_(wanted), found_(found) {}

  bool VisitCXXMethodDecl(clang::CXXMethodDecl *method) override {
    if (!isUsers(unit_, *method) || !method->getDeclName().isIdentifier() ||
        !method->doesThisDeclarationHaveABody() || !wanted_.contains(methodName(*method)) ||
        !mayBecomeFunction(*method))
      return true;
    const std::string record = method->getParent()->getNameAsString();
    const std::string name = method->getNameAsString();
    const std::string function = isCamel(record) && name.find('_') == std::string::npos
                                     ? name + record
                                     : name + "_" + record;
    const clang::IdentifierTable &table = unit_.preprocessor().getIdentifierTable();
    if (table.find(function) == table.end())
      if (found_
              .try_emplace(symbolOfMethod(unit_, *method),
                           Method{symbolOfMethod(unit_, *method), function, record})
              .second)
        PrivateCalls(wanted_).TraverseStmt(method->getBody());
    return true;
  }

private:
  ParsedUnit &unit_;
  std::set<std::string> &wanted_;
  Methods &found_;
};

/// Calls on elements of arrays that are CUDA's.
class CallFinder : public clang::DynamicRecursiveASTVisitor {
public:
  CallFinder(ParsedUnit &unit, const ArrayFlow &flow, const Methods &methods, const SplitText &text,
             std::map<std::string, Changes> &changes)
      : unit_(unit), flow_(flow), methods_(methods), text_(text), changes_(changes) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    const auto [known, member, method] = methodCallOf(unit_, *call, methods_);
    if (!known || isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
      return true;
    const clang::Expr &object = *member->getBase()->IgnoreImplicit();
    const std::uint32_t group = flow_.groupOf(&object);
    if (group == trace::kNone || !flow_.groups()[group].mayBeDeviceArrays())
      return true;
    const auto begin = filePlace(unit_, object.getBeginLoc());
    const auto point = filePlace(unit_, member->getOperatorLoc());
    const auto name = filePlace(unit_, member->getMemberLoc());
    if (!begin || !point || !name || begin->path != name->path || point->path != name->path)
      return true;
    const auto open =
        argumentsOf(text_.textOf(name->path), *name, member->getMemberDecl()->getName().size());
    if (!open)
      return true;
    const bool isPrimary = isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr,
                               clang::CallExpr, clang::ParenExpr>(object.IgnoreImpCasts());
    const std::string star = !member->isArrow() ? "" : isPrimary ? "*" : "*(";
    Changes &file = changes_[name->path];
    file.try_emplace(begin->offset, begin->offset, method->function + "(" + star);
    file.try_emplace(point->offset, *open,
                     std::string(star.size() > 1 ? ")" : "") + (hasArguments(*call) ? ", " : ""));
    return true;
  }

private:
  ParsedUnit &unit_;
  const ArrayFlow &flow_;
  const Methods &methods_;
  const SplitText &text_;
  std::map<std::string, Changes> &changes_;
};

/// A function, and where it is to stand.
struct Written {
  std::string text;
  std::set<std::string> calls;
  unsigned line = 0;
};
using WrittenAt = std::map<TypePlace, std::map<unsigned, std::pair<std::string, Written>>>;

/// Writes the functions, for places behind their classes.
class FunctionWriter : public clang::DynamicRecursiveASTVisitor {
public:
  FunctionWriter(ParsedUnit &unit, const Methods &methods,
                 const std::map<std::string, Changes> &calls, const SplitText &text,
                 WrittenAt &written)
      : unit_(unit), methods_(methods), calls_(calls), text_(text), written_(written) {}

  bool VisitCXXMethodDecl(clang::CXXMethodDecl *method) override {
    if (!isUsers(unit_, *method) || !mayBecomeFunction(*method))
      return true;
    const std::string symbol = symbolOfMethod(unit_, *method);
    if (const auto found = methods_.find(symbol); found != methods_.end())
      if (!write(*method, found->second))
        impossible.insert(symbol);
    return true;
  }

  std::set<std::string> impossible; ///< what stays a method

private:
  /// A definition, or a declaration of one that stands elsewhere.
  bool write(const clang::CXXMethodDecl &method, const Method &known) {
    const bool isDefinition = method.doesThisDeclarationHaveABody();
    const auto range = rangeOf(unit_, method);
    const auto name = filePlace(unit_, method.getLocation());
    const clang::FunctionTypeLoc type = method.getFunctionTypeLoc();
    const auto open = type ? filePlace(unit_, type.getLParenLoc()) : std::nullopt;
    const clang::NestedNameSpecifierLoc scope = method.getQualifierLoc();
    const auto qualified = scope ? filePlace(unit_, scope.getBeginLoc()) : name;
    const auto place = range ? behind(method, range->end) : std::nullopt;
    if (!open || !qualified || !place || place->path != range->path)
      return false;
    const auto &[path, begin, end] = *range;
    const std::string &file = text_.textOf(path);
    const std::string object = objectFor(known.record, file.substr(begin, end - begin));
    const auto calls = calls_.find(path);
    if (object.empty())
      return false;
    std::optional<MethodBody> body = bodyOutside(unit_, method, methods_, file, object,
                                                 calls == calls_.end() ? Changes() : calls->second);
    if (!body)
      return false;
    const bool hasNone = method.getNumParams() == 0;
    const std::size_t first =
        hasNone ? file.find(')', open->offset) : file.find_first_not_of(" \t\n", open->offset + 1);
    body->changes[qualified->offset] = {
        name->offset + static_cast<unsigned>(method.getName().size()), known.function};
    body->changes[open->offset] = {
        static_cast<unsigned>(first),
        fmt::format("({} &{}{}", known.record, object, hasNone ? "" : ", ")};
    std::string copy = textWith(body->changes, file, begin, end);
    if (isDefinition && !method.isOutOfLine() && !method.isInlineSpecified() &&
        !method.isConstexpr())
      copy.insert(0, "inline ");
    const std::string function = "\n" + outdented(copy, spaceBefore(file, begin)) + "\n";
    const auto next = nextLine(file, place->offset);
    written_[{path, next.value_or(place->offset)}].try_emplace(
        begin, known.symbol,
        Written{(next ? "" : "\n") + function, body->called, lineAt(file, begin)});
    return true;
  }

  /// Of what stands in the class, behind the class.
  std::optional<TypePlace> behind(const clang::CXXMethodDecl &method,
                                  std::optional<unsigned> end) const {
    const bool isInClass = !method.isOutOfLine();
    const clang::SourceLocation brace = method.getParent()->getBraceRange().getEnd();
    const auto place = filePlace(unit_, isInClass ? brace : method.getEndLoc());
    if (isInClass)
      end = behindToken(unit_, brace, clang::tok::semi);
    return place && end ? std::optional(TypePlace{place->path, *end}) : std::nullopt;
  }

  static std::string objectFor(const std::string &record, const std::string &text) {
    std::string lowered = record;
    lowered.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(lowered.front())));
    for (const std::string &name : {lowered, std::string("element"), std::string("self")})
      if (name != record && !containsWord(text, name))
        return name;
    return {};
  }

  ParsedUnit &unit_;
  const Methods &methods_;
  const std::map<std::string, Changes> &calls_;
  const SplitText &text_;
  WrittenAt &written_;
};

/// In the order of the class, but behind what they call.
std::string inOrder(const std::map<unsigned, std::pair<std::string, Written>> &functions) {
  std::string text;
  std::set<std::string> done;
  const auto write = [&](const auto &self, const std::string &symbol) -> void {
    for (const auto &[offset, function] : functions)
      if (function.first == symbol && done.insert(symbol).second) {
        for (const std::string &callee : function.second.calls)
          self(self, callee);
        text += function.second.text;
      }
  };
  for (const auto &[offset, function] : functions)
    write(write, function.first);
  return text;
}

} // namespace

std::vector<ReplacedText> functionsOfMethods(const std::vector<ParsedUnit *> &units,
                                             const std::vector<ArrayFlow> &flows,
                                             const std::set<std::string> &methods) {
  Methods found;
  std::set<std::string> wanted = methods;
  for (std::size_t known = 0; known != wanted.size();) {
    known = wanted.size();
    for (ParsedUnit *unit : units)
      MethodFinder(*unit, wanted, found).TraverseAST(unit->ast());
  }
  while (!found.empty()) {
    SplitText text(units);
    std::map<std::string, Changes> calls;
    for (std::size_t u = 0; u < units.size(); ++u)
      CallFinder(*units[u], flows[u], found, text, calls).TraverseAST(units[u]->ast());
    std::set<std::string> impossible;
    WrittenAt written;
    for (ParsedUnit *unit : units) {
      FunctionWriter writer(*unit, found, calls, text, written);
      writer.TraverseAST(unit->ast());
      impossible.merge(writer.impossible);
    }
    if (impossible.empty()) {
      for (const auto &[place, functions] : written)
        text.insert(place.path, place.offset, inOrder(functions),
                    functions.begin()->second.second.line);
      for (const auto &[path, changes] : calls)
        for (const auto &[begin, change] : changes)
          text.replace(path, begin, change.first, change.second);
      return text.texts().value_or(std::vector<ReplacedText>());
    }
    for (const std::string &symbol : impossible)
      found.erase(symbol);
  }
  return {};
}

} // namespace relayout::instrument
