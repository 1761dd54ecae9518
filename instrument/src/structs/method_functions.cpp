// SPDX-License-Identifier: Apache-2.0
// Copies a method's text behind its class, with an object in place of `this`, and calls the copy
// where arrays are what the method is called on.
#include "structs/method_functions.h"

#include "relayout/instrument/clang/symbols.h"
#include "structs/object_names.h"
#include "structs/split_text.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

bool isOfIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether the text has the identifier.
bool hasIdentifier(const std::string &text, const std::string &identifier) {
  for (std::size_t at = text.find(identifier); at != std::string::npos;
       at = text.find(identifier, at + 1)) {
    const std::size_t behind = at + identifier.size();
    if ((at == 0 || !isOfIdentifier(text[at - 1])) &&
        (behind == text.size() || !isOfIdentifier(text[behind])))
      return true;
  }
  return false;
}

bool isCamel(const std::string &name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

/// A method, and the function that it becomes.
struct Method {
  std::string symbol;
  std::string function;
  std::string record;
};
using Methods = std::map<std::string, Method>; ///< by the method's symbol

/// Changes of one file's text, by offset: up to where, and what stands there instead.
using Changes = std::map<unsigned, std::pair<unsigned, std::string>>;

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

std::string symbolOfMethod(ParsedUnit &unit, const clang::CXXMethodDecl &method) {
  return symbolOf(unit, method.getCanonicalDecl());
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

/// Finds the methods that become functions, in all units.
class MethodFinder : public clang::DynamicRecursiveASTVisitor {
public:
  MethodFinder(ParsedUnit &unit, const std::set<std::string> &wanted, Methods &found)
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
      found_.try_emplace(symbolOfMethod(unit_, *method),
                         Method{symbolOfMethod(unit_, *method), function, record});
    return true;
  }

private:
  ParsedUnit &unit_;
  const std::set<std::string> &wanted_;
  Methods &found_;
};

/// `contacts[i].add(point)`, `contact->add(point)`
struct MethodCall {
  const clang::CXXMemberCallExpr *call = nullptr;
  const clang::MemberExpr *member = nullptr;
  const Method *method = nullptr;
};

MethodCall methodCallOf(ParsedUnit &unit, const clang::CXXMemberCallExpr &call,
                        const Methods &methods) {
  const auto *member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
  const auto *method = call.getMethodDecl();
  const auto found = method && member && isUsers(unit, *method)
                         ? methods.find(symbolOfMethod(unit, *method))
                         : methods.end();
  return found == methods.end() ? MethodCall() : MethodCall{&call, member, &found->second};
}

/// Behind the parenthesis that opens the arguments.
std::optional<unsigned> argumentsOf(const std::string &file, const TypePlace &name,
                                    std::size_t nameLength) {
  const std::size_t open = file.find_first_not_of(" \t\n", name.offset + nameLength);
  return open != std::string::npos && file[open] == '('
             ? std::optional(static_cast<unsigned>(open) + 1)
             : std::nullopt;
}

bool hasArguments(const clang::CallExpr &call) {
  return call.getNumArgs() > 0 && !isa<clang::CXXDefaultArgExpr>(call.getArg(0));
}

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

/// What a method's text has to say otherwise outside of its class.
class BodyChanges : public clang::DynamicRecursiveASTVisitor {
public:
  BodyChanges(ParsedUnit &unit, const clang::CXXMethodDecl &method, const Methods &methods,
              const std::string &file, std::string object, Changes changes)
      : unit_(unit), record_(*method.getParent()), methods_(methods), file_(file),
        object_(std::move(object)), changes(std::move(changes)) {
    TraverseDecl(const_cast<clang::CXXMethodDecl *>(&method));
  }

  bool VisitLambdaExpr(clang::LambdaExpr *) override { return !(isImpossible = true); }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    isImpossible |= variable->isStaticLocal();
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    const auto [known, member, method] = methodCallOf(unit_, *call, methods_);
    if (!known)
      return true;
    const auto *self = dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    const auto name = filePlace(unit_, member->getMemberLoc());
    if (!self)
      return true;
    const auto begin = self->isImplicit() ? name : filePlace(unit_, self->getBeginLoc());
    const auto open =
        name ? argumentsOf(file_, *name, member->getMemberDecl()->getName().size()) : std::nullopt;
    if (!begin || !open)
      return !(isImpossible = true);
    called.insert(method->symbol);
    change(*begin, *open,
           fmt::format("{}({}{}", method->function, object_, hasArguments(*call) ? ", " : ""));
    known_.insert(member);
    known_.insert(self);
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    const auto *self = dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    if (!self || known_.contains(member))
      return true;
    // Views show all fields.
    isImpossible |= member->getMemberDecl()->getAccess() != clang::AS_public &&
                    !isa<clang::FieldDecl>(member->getMemberDecl());
    const auto name = filePlace(unit_, member->getMemberLoc());
    const auto begin = self->isImplicit() ? name : filePlace(unit_, self->getBeginLoc());
    if (!name || !begin)
      return !(isImpossible = true);
    change(*begin, name->offset, object_ + ".");
    known_.insert(self);
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    const auto *self =
        unary->getOpcode() == clang::UO_Deref
            ? dyn_cast<clang::CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts())
            : nullptr;
    const auto begin = self ? filePlace(unit_, unary->getBeginLoc()) : std::nullopt;
    if (!self)
      return true;
    const auto end = filePlace(unit_, unary->getEndLoc());
    if (!begin || !end)
      return !(isImpossible = true);
    change(*begin, end->offset + kThis, object_);
    known_.insert(self);
    return true;
  }

  bool VisitCXXThisExpr(clang::CXXThisExpr *self) override {
    if (known_.contains(self))
      return true;
    const auto begin = filePlace(unit_, self->getBeginLoc());
    if (!begin || self->isImplicit())
      return !(isImpossible = true);
    change(*begin, begin->offset + kThis, "&" + object_);
    return true;
  }

  /// Static members and constants of the class.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const clang::DeclContext *scope = name->getDecl()->getDeclContext();
    if (isa<clang::EnumDecl>(scope))
      scope = scope->getParent();
    if (name->hasQualifier() || !scope->isRecord() || !isOfClass(*scope))
      return true;
    const auto begin = filePlace(unit_, name->getBeginLoc());
    isImpossible |= !begin || name->getDecl()->getAccess() == clang::AS_private ||
                    name->getDecl()->getAccess() == clang::AS_protected;
    if (begin)
      change(*begin, begin->offset, record_.getNameAsString() + "::");
    return true;
  }

  bool VisitTypeLoc(clang::TypeLoc type) override {
    const clang::Decl *named = nullptr;
    if (const auto tag = type.getAs<clang::TagTypeLoc>())
      named = tag.getDecl();
    else if (const auto alias = type.getAs<clang::TypedefTypeLoc>())
      named = alias.getDecl();
    isImpossible |=
        named && named->getDeclContext()->isRecord() && isOfClass(*named->getDeclContext());
    return true;
  }

private:
  static constexpr unsigned kThis = std::string_view("this").size();

  [[nodiscard]] bool isOfClass(const clang::DeclContext &scope) const {
    const auto *other = dyn_cast<clang::CXXRecordDecl>(&scope);
    return other && (other->getCanonicalDecl() == record_.getCanonicalDecl() ||
                     (other->getDefinition() &&
                      record_.getDefinition()->isDerivedFrom(other->getDefinition())));
  }

  /// Behind what a call has there already: `add(` and then its object.
  void change(const TypePlace &begin, unsigned end, std::string text) {
    const auto [entry, isNew] = changes.try_emplace(begin.offset, end, text);
    if (!isNew)
      entry->second = {std::max(entry->second.first, end), entry->second.second + text};
  }

  ParsedUnit &unit_;
  const clang::CXXRecordDecl &record_;
  const Methods &methods_;
  const std::string &file_;
  std::string object_;
  std::set<const clang::Expr *> known_;

public:
  Changes changes;
  std::set<std::string> called; ///< methods of the same object that become functions
  bool isImpossible = false;
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
    auto begin = filePlace(unit_, unit_.sources().getExpansionLoc(method.getBeginLoc()));
    const auto name = filePlace(unit_, method.getLocation());
    const auto last = filePlace(unit_, method.getEndLoc());
    const auto end = !isDefinition ? behindToken(unit_, method.getEndLoc(), clang::tok::semi)
                     : last        ? std::optional(last->offset + 1)
                                   : std::nullopt;
    const clang::FunctionTypeLoc type = method.getFunctionTypeLoc();
    const auto open = type ? filePlace(unit_, type.getLParenLoc()) : std::nullopt;
    const clang::NestedNameSpecifierLoc scope = method.getQualifierLoc();
    const auto qualified = scope ? filePlace(unit_, scope.getBeginLoc()) : name;
    const auto place = behind(method, end);
    if (!begin || !name || !last || !end || !open || !qualified || !place ||
        begin->path != name->path || last->path != name->path || place->path != name->path)
      return false;
    for (const clang::Attr *attribute : method.attrs())
      if (const auto side =
              attribute->isImplicit() || attribute->isInherited()
                  ? std::nullopt
                  : filePlace(unit_, unit_.sources().getExpansionLoc(attribute->getLocation()));
          side && side->path == begin->path)
        begin->offset = std::min(begin->offset, side->offset);
    const std::string &file = text_.textOf(name->path);
    const std::string object =
        objectFor(known.record, file.substr(begin->offset, *end - begin->offset));
    const auto calls = calls_.find(name->path);
    BodyChanges body(unit_, method, methods_, file, object,
                     calls == calls_.end() ? Changes() : calls->second);
    if (object.empty() || body.isImpossible)
      return false;
    const bool hasNone = method.getNumParams() == 0;
    const std::size_t first =
        hasNone ? file.find(')', open->offset) : file.find_first_not_of(" \t\n", open->offset + 1);
    body.changes[qualified->offset] = {
        name->offset + static_cast<unsigned>(method.getName().size()), known.function};
    body.changes[open->offset] = {
        static_cast<unsigned>(first),
        fmt::format("({} &{}{}", known.record, object, hasNone ? "" : ", ")};
    std::string copy = textWith(body.changes, file, begin->offset, *end);
    if (isDefinition && !method.isOutOfLine() && !method.isInlineSpecified() &&
        !method.isConstexpr())
      copy.insert(0, "inline ");
    const std::string function = "\n" + outdented(copy, indentationAt(file, begin->offset)) + "\n";
    const auto next = nextLine(file, place->offset);
    written_[{place->path, next.value_or(place->offset)}].try_emplace(
        begin->offset, known.symbol,
        Written{(next ? "" : "\n") + function, body.called, lineAt(file, begin->offset)});
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
      if (name != record && !hasIdentifier(text, name))
        return name;
    return {};
  }

  static std::string indentationAt(const std::string &file, unsigned offset) {
    std::size_t begin = offset;
    while (begin > 0 && (file[begin - 1] == ' ' || file[begin - 1] == '\t'))
      --begin;
    return file.substr(begin, offset - begin);
  }

  static std::string outdented(const std::string &text, const std::string &indentation) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const std::string line = text.substr(at, end - at);
      out += at > 0 && line.starts_with(indentation) ? line.substr(indentation.size()) : line;
      at = end;
    }
    return out;
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
  for (ParsedUnit *unit : units)
    MethodFinder(*unit, methods, found).TraverseAST(unit->ast());
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
