// SPDX-License-Identifier: Apache-2.0
// Finds where extents are visible, and passes them on to where arrays are allocated.
#include "coordinates/extent_parameters.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// Calls within calls through which extents are passed.
constexpr int kMostPassing = 3;

bool isNumber(const std::string &factor) {
  return factor.find_first_not_of("0123456789") == std::string::npos;
}

/// The names in a function, which a parameter must not hide.
class NameFinder : public clang::DynamicRecursiveASTVisitor {
public:
  std::set<std::string> names;
  bool VisitNamedDecl(clang::NamedDecl *declaration) override {
    names.insert(declaration->getNameAsString());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    names.insert(name->getNameInfo().getAsString());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    names.insert(member->getMemberNameInfo().getAsString());
    return true;
  }
};

std::string spelledTypeOf(const instrument::ExtentName &name) {
  clang::QualType type = name.declarations.empty()
                             ? clang::QualType()
                             : name.declarations.front()->getType().getNonReferenceType();
  if (type.isNull() || !type->isIntegerType() || isa<clang::DecltypeType, clang::AutoType>(type))
    return "int";
  return type.getUnqualifiedType().getAsString();
}

/// Whether a parameter more leaves a function's other arguments where they are.
bool takesParameter(const Program &program, const clang::FunctionDecl &function) {
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  const clang::FunctionDecl &written = pattern ? *pattern : function;
  return isUsers(program, written) && !function.isMain() && function.getDefinition() &&
         !function.hasAttr<clang::CUDAGlobalAttr>() &&
         (!pattern || program.copyAround(&function)) &&
         std::ranges::none_of(written.redecls(), [](const clang::FunctionDecl *declared) {
           return std::ranges::any_of(
               declared->parameters(), [](const clang::ParmVarDecl *parameter) {
                 return parameter->hasDefaultArg() || parameter->isParameterPack();
               });
         });
}

} // namespace

std::string parameterNameOf(const std::string &factor, const clang::FunctionDecl &function) {
  NameFinder finder;
  finder.TraverseDecl(const_cast<clang::FunctionDecl *>(&function));
  const std::size_t last = factor.find_last_of(".>:");
  std::string name = factor.substr(last == std::string::npos ? 0 : last + 1);
  if (name.find_first_of("+-() ") != std::string::npos)
    name = "extent";
  while (finder.names.contains(name))
    name += "Extent";
  return name;
}

std::vector<std::string> factorsOf(const std::string &extent) {
  std::vector<std::string> factors;
  for (std::size_t begin = 0; begin < extent.size();) {
    const std::size_t end = std::min(extent.find(" * ", begin), extent.size());
    factors.push_back(extent.substr(begin, end - begin));
    begin = end + 3;
  }
  return factors;
}

ExtentParameters &ExtentParameters::of(Program &program) {
  if (!program.extentParameters)
    program.extentParameters = std::make_shared<ExtentParameters>(program);
  return *program.extentParameters;
}

ExtentParameters::ExtentParameters(Program &program)
    : program_(program), callers_(program), passed_(instrument::passedNames(program.unit.ast())) {}

const instrument::ExtentName *ExtentParameters::visible(const std::string &factor,
                                                        const Callers::Call &call) {
  const auto [entry, isNew] = names_.try_emplace(call.expression);
  if (isNew)
    entry->second = instrument::extentNames(*call.expression, call.around, passed_);
  const auto name = std::ranges::find(entry->second, factor, &instrument::ExtentName::text);
  return name == entry->second.end() ? nullptr : &*name;
}

std::vector<Callers::Call> ExtentParameters::visibleFor(const std::string &factor,
                                                        const Callers::Call &call) {
  if (isNumber(factor) || visible(factor, call))
    return {call};
  const std::vector<Callers::Call> *calls =
      call.around && depth_ < kMostPassing ? callers_.of(*call.around) : nullptr;
  if (!calls)
    return {};
  std::vector<Callers::Call> found;
  ++depth_;
  for (const Callers::Call &outer : *calls) {
    const std::vector<Callers::Call> at = visibleFor(factor, outer);
    if (at.empty()) {
      found.clear();
      break;
    }
    found.insert(found.end(), at.begin(), at.end());
  }
  --depth_;
  return found;
}

std::variant<std::string, Refusal> ExtentParameters::given(const analysis::ElementOrder &order,
                                                           const Callers::Call &call) {
  std::string text;
  for (const std::string &extent : order.texts) {
    if (extent.empty()) // a constant
      continue;
    auto written = at(extent, call);
    if (std::holds_alternative<Refusal>(written))
      return written;
    text += ", " + std::get<std::string>(written);
  }
  return text;
}

std::variant<std::string, Refusal> ExtentParameters::at(const std::string &extent,
                                                        const Callers::Call &call) {
  std::string text;
  for (const std::string &factor : factorsOf(extent)) {
    const auto found = factorAt(factor, call);
    if (!found)
      return Refusal{Code::UnsupportedCudaCall,
                     fmt::format("the extent '{}' is not visible at this allocation, and cannot be "
                                 "passed to it",
                                 factor),
                     call.expression->getExprLoc(), "allocate where the extents are known"};
    text += (text.empty() ? "" : " * ") + found->first;
  }
  return text;
}

std::optional<std::pair<std::string, std::string>>
ExtentParameters::factorAt(const std::string &factor, const Callers::Call &call) {
  if (isNumber(factor))
    return std::pair(factor, std::string("int"));
  if (const instrument::ExtentName *name = visible(factor, call))
    return std::pair(factor, spelledTypeOf(*name));
  const Parameter *parameter = call.around ? parameterFor(factor, *call.around) : nullptr;
  return parameter ? std::optional(std::pair(parameter->name, parameter->type)) : std::nullopt;
}

const ExtentParameters::Parameter *
ExtentParameters::parameterFor(const std::string &factor, const clang::FunctionDecl &function) {
  Function &known = functions_[function.getCanonicalDecl()];
  if (const auto parameter = std::ranges::find(known.parameters, factor, &Parameter::factor);
      parameter != known.parameters.end())
    return &*parameter;
  const std::vector<Callers::Call> *calls = callers_.of(function);
  if (!calls || calls->empty() || !takesParameter(program_, function) || depth_ >= kMostPassing)
    return nullptr;
  Parameter parameter{factor, parameterNameOf(factor, *function.getDefinition()), {}};
  std::vector<std::pair<Callers::Call, std::string>> passing;
  ++depth_;
  for (const Callers::Call &call : *calls) {
    const auto passed = factorAt(factor, call);
    if (!passed)
      break;
    if (passing.empty())
      parameter.type = passed->second;
    passing.emplace_back(call, passed->first);
  }
  --depth_;
  if (passing.size() != calls->size())
    return nullptr;
  for (const auto &[call, text] : passing) {
    const auto at = std::ranges::find_if(
        known.calls, [&](const auto &other) { return other.first.expression == call.expression; });
    if (at == known.calls.end())
      known.calls.emplace_back(call, ", " + text);
    else
      at->second += ", " + text;
  }
  known.parameters.push_back(std::move(parameter));
  return &known.parameters.back();
}

void ExtentParameters::write() {
  for (const auto &[function, changed] : functions_) {
    if (changed.parameters.empty())
      continue;
    std::string text;
    for (const Parameter &parameter : changed.parameters)
      text += fmt::format(", {} {}", parameter.type, parameter.name);
    addParameters(*function, text);
    for (const auto &[call, passed] : changed.calls)
      addArguments(call, passed);
  }
}

void ExtentParameters::addParameters(const clang::FunctionDecl &function, const std::string &text) {
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  for (const clang::FunctionDecl *declared : (pattern ? *pattern : function).redecls()) {
    const clang::FunctionTypeLoc type = declared->getFunctionTypeLoc();
    addTo(&function, type ? type.getRParenLoc() : clang::SourceLocation(), text, *declared);
  }
}

void ExtentParameters::addArguments(const Callers::Call &call, const std::string &text) {
  clang::SourceLocation closing;
  const clang::FunctionDecl *callee = nullptr;
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(call.expression)) {
    closing = made->getParenOrBraceRange().getEnd();
    callee = made->getConstructor();
  } else {
    const auto &called = clang::cast<clang::CallExpr>(*call.expression);
    closing = called.getRParenLoc();
    callee = called.getDirectCallee();
  }
  addTo(call.around, closing, text, *callee);
}

void ExtentParameters::addTo(const clang::DeclContext *scope, clang::SourceLocation closing,
                             std::string text, const clang::FunctionDecl &function) {
  const std::optional<FilePlace> place =
      closing.isValid() ? program_.reader.place(closing) : std::nullopt;
  if (function.getNumParams() == 0)
    text.erase(0, 2); // the comma
  if (!place || !program_.editsIn(scope).add(*place, {{{*place, place->offset}, text, {0, 1}}}))
    program_.findings.refuse(
        {Code::EditInMacro,
         fmt::format(
             "'{}' needs an extent of the array that it allocates, and is spelled by a macro",
             function.getNameAsString()),
         closing.isValid() ? closing : function.getLocation(),
         "allocate where the extents are known"});
}

} // namespace relayout::rewriter
