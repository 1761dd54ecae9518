// SPDX-License-Identifier: Apache-2.0
// Carries a plan out: matches decisions with arrays, runs the passes, and puts the header in place.
#include "relayout/rewriter/rewrite.h"

#include "apply/vector_headers.h"
#include "legality/record_shape.h"
#include "pass/parsed_passes.h"
#include "pass/program.h"
#include "relayout/instrument/joined_files.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Format/Format.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Core/Replacement.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

namespace relayout::rewriter {
namespace {

namespace fs = std::filesystem;
using analysis::Decision;
using analysis::Plan;
using clang::dyn_cast;
using instrument::ArrayFlow;
using instrument::ParsedUnit;

Error otherProgram(const Plan &plan, std::string what) {
  return Error{Code::PlanOfOtherProgram, std::move(what), {plan.sourceFile, 0, 0}, {}};
}

/// True for layouts that leave the record as it is: one cluster, in order, of the record's own size
/// and not aligned further.
bool isUnchanged(const Decision &decision, const RecordShape &shape) {
  const analysis::Layout &layout = decision.layout;
  if (layout.clusters.size() != 1 || layout.clusters.front().exploded ||
      (layout.tile != 0 && (layout.padBytes != 0 || layout.startAlignment != 0)))
    return false;
  const analysis::Cluster &cluster = layout.clusters.front();
  const Result<analysis::AddressFunction> bound =
      analysis::AddressFunction::bind(layout, layoutFieldsOf(shape), 1);
  return bound && bound->clusterBytes(0) == shape.bytes &&
         std::is_sorted(cluster.fields.begin(), cluster.fields.end()) &&
         cluster.alignment <= shape.alignment;
}

std::set<std::string> namesOf(const instrument::ArrayGroup &group) {
  std::set<std::string> names;
  for (const clang::ValueDecl *array : group.declarations)
    names.insert(ArrayFlow::nameOf(array));
  return names;
}

/// One word for a layout, to tell the headers of one record apart.
std::string kindOf(const analysis::Layout &layout) {
  if (layout.tile != 0)
    return fmt::format("Tiles{}", layout.tile);
  if (std::ranges::any_of(layout.clusters, &analysis::Cluster::exploded))
    return "Exploded";
  if (layout.clusters.size() == 1)
    return "Aligned";
  const bool isSoa = std::ranges::all_of(
      layout.clusters, [](const analysis::Cluster &cluster) { return cluster.fields.size() == 1; });
  return isSoa ? "Soa" : "Split";
}

bool speaksOf(const Decision &decision, const clang::CXXRecordDecl &record) {
  const std::string name = decision.record.substr(0, decision.record.find('<'));
  const std::size_t scope = name.rfind("::");
  return nameOf(record) == (scope == std::string::npos ? name : name.substr(scope + 2));
}

/// The groups a decision is about. Plans are made from the host's view of the program; behind
/// #ifdef __CUDA_ARCH__ a group may have other members, and one in common makes it the same.
std::vector<std::uint32_t> groupsOf(const ArrayFlow &flow, const Decision &decision,
                                    instrument::Pass pass) {
  const std::set<std::string> arrays(decision.arrays.begin(), decision.arrays.end());
  std::vector<std::uint32_t> found;
  for (std::uint32_t g = 0; g < flow.groups().size(); ++g) {
    const instrument::ArrayGroup &group = flow.groups()[g];
    const std::set<std::string> names = namesOf(group);
    const bool matches = pass == instrument::Pass::Host
                             ? names == arrays
                             : std::ranges::any_of(names, [&](const std::string &name) {
                                 return arrays.contains(name);
                               });
    if (matches && speaksOf(decision, *group.record))
      found.push_back(g);
  }
  return found;
}

/// Memory that is not plain device memory cannot be laid out anew by converting at copies.
void checkOrigins(const instrument::ArrayGroup &group, const Target &target, Findings &findings) {
  const clang::SourceLocation where = group.declarations.front()->getLocation();
  const std::string arrays = fmt::format("the arrays of '{}' around '{}'", target.shape.name,
                                         ArrayFlow::nameOf(group.declarations.front()));
  for (const auto &[what, place] : group.unknownFlows)
    findings.refuse(Code::PointerEscapes,
                    fmt::format("{} stay as they are: they may hold {}", arrays, what), place,
                    "keep device pointers in variables of their own type");
  const instrument::Origins &origins = group.origins;
  std::string reason;
  if (origins.managed)
    reason = "they may lie in managed memory";
  else if (origins.symbol)
    reason = "they may be a __device__ or __constant__ variable";
  else if (origins.shared)
    reason = "they may lie in shared memory";
  else if (origins.host && origins.device)
    reason = "the same pointers serve host and device memory";
  else if (origins.host || origins.local)
    reason = "they may lie in host memory or on the stack";
  else if (!origins.device)
    reason = "no cudaMalloc of them is seen";
  if (!reason.empty())
    findings.refuse(Code::OtherMemory, fmt::format("{} stay as they are: {}", arrays, reason),
                    where,
                    "use separate pointers, and separate functions, for arrays from cudaMalloc");
}

std::string formatted(const std::string &code) {
  clang::format::FormatStyle style = clang::format::getLLVMStyle();
  style.ColumnLimit = 100;
  const clang::tooling::Replacements changes = clang::format::reformat(
      style, code, {clang::tooling::Range(0, static_cast<unsigned>(code.size()))});
  llvm::Expected<std::string> result = clang::tooling::applyAllReplacements(code, changes);
  if (result)
    return *result;
  llvm::consumeError(result.takeError());
  return code;
}

/// Where `#include "particle_layout.h"` goes: behind the line that ends the record's definition.
/// Namespaces around it are closed and opened again. A record has a header a layout.
class IncludePlacer {
public:
  IncludePlacer(const SourceReader &reader, const std::vector<const Target *> &targets,
                Findings &findings, EditSet &edits)
      : reader_(reader), targets_(targets), target_(*targets.front()), findings_(findings),
        edits_(edits) {}

  /// Where the file gets the include; nothing after a refusal.
  std::optional<FilePlace> place() {
    const clang::SourceLocation brace = target_.record->getBraceRange().getEnd();
    std::optional<clang::Token> token;
    if (brace.isFileID() && reader_.spelled(brace))
      token = reader_.tokenAfter(brace);
    while (token && reader_.text(*token) != ";")
      token = reader_.tokenAfter(token->getLocation());
    std::vector<std::string> scopes = openScopes();
    if (token) // where a namespace ends anyway, the include follows its brace
      for (std::optional<clang::Token> next = reader_.tokenAfter(token->getLocation());
           next && reader_.text(*next) == "}" && !scopes.empty();
           next = reader_.tokenAfter(token->getLocation())) {
        token = next;
        scopes.pop_back();
      }
    const std::optional<FileRange> end =
        token ? reader_.tokenRange(token->getLocation()) : std::nullopt;
    if (!end) {
      findings_.refuse(Code::UsedBeforeDefinition,
                       fmt::format("'{}' is defined inside a macro", target_.shape.name),
                       target_.record->getLocation(), "write the definition out");
      return std::nullopt;
    }
    const std::string &file = reader_.fileText(end->begin.path);
    unsigned offset = end->end;
    std::string text = directive(scopes);
    if (const std::size_t line = file.find('\n', offset);
        line != std::string::npos && isBlankOrComment(file.substr(offset, line - offset)))
      offset = static_cast<unsigned>(line) + 1;
    else
      text = "\n" + text;
    (void)edits_.add({end->begin.path, end->begin.offset},
                     {{{{end->begin.path, offset}, offset}, text, {0, 0}}});
    return FilePlace{end->begin.path, offset};
  }

private:
  static bool isBlankOrComment(const std::string &rest) {
    const std::size_t first = rest.find_first_not_of(" \t\r");
    return first == std::string::npos || rest.compare(first, 2, "//") == 0 ||
           (rest.compare(first, 2, "/*") == 0 && rest.find("*/") != std::string::npos &&
            rest.find_first_not_of(" \t\r", rest.find("*/") + 2) == std::string::npos);
  }

  /// The namespaces around the record as they are written, outermost first.
  std::vector<std::string> openScopes() const {
    std::vector<std::string> scopes;
    std::vector<const clang::NamespaceDecl *> spaces;
    for (const clang::DeclContext *scope = target_.record->getDeclContext(); scope;
         scope = scope->getParent())
      if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope))
        spaces.insert(spaces.begin(), space);
    for (const clang::NamespaceDecl *space : spaces) {
      if (space->isNested() && !scopes.empty())
        scopes.back() += "::" + space->getNameAsString();
      else
        scopes.push_back((space->isInline() ? "inline namespace " : "namespace ") +
                         space->getNameAsString());
    }
    return scopes;
  }

  std::string directive(const std::vector<std::string> &scopes) const {
    std::string text;
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      const std::string label =
          scope->ends_with(' ') ? scope->substr(0, scope->size() - 1) : *scope;
      text += fmt::format("}} // {}\n", label);
    }
    for (const Target *target : targets_)
      text += fmt::format("#include \"{}\"\n", target->names.file);
    for (const std::string &scope : scopes)
      text += scope + (scope.ends_with(' ') ? "{\n" : " {\n");
    return text;
  }

  const SourceReader &reader_;
  const std::vector<const Target *> &targets_;
  const Target &target_; ///< any of them: they have one record
  Findings &findings_;
  EditSet &edits_;
};

/// `__device__` or `__constant__` arrays, and no pointer to them.
bool isVariable(const instrument::ArrayGroup &group) {
  return std::ranges::all_of(group.declarations, [](const clang::ValueDecl *declaration) {
    return declaration->getType()->isArrayType() &&
           (declaration->hasAttr<clang::CUDADeviceAttr>() ||
            declaration->hasAttr<clang::CUDAConstantAttr>());
  });
}

bool holdsWord(const std::string &text, const std::string &word) {
  const auto isWordCharacter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isWordCharacter(text[at - 1])) &&
        (at + word.size() == text.size() || !isWordCharacter(text[at + word.size()])))
      return true;
  return false;
}

/// True for a name that is or was defined; `p[i].min` is no macro's invocation, `p.min(i)` is one.
bool isMacro(clang::Preprocessor &preprocessor, const std::string &name) {
  return preprocessor.getLocalMacroDirectiveHistory(preprocessor.getIdentifierInfo(name)) !=
         nullptr;
}

class Rewriter {
public:
  Rewriter(ParsedPasses &passes, const Plan &plan)
      : passes_(passes), command_(passes.command()), plan_(plan) {}

  Result<Rewrite> run() {
    for (const instrument::Pass pass : {instrument::Pass::Host, instrument::Pass::Device}) {
      if (pass == instrument::Pass::Device && !usesCudaArch_)
        continue;
      Result<ParsedUnit *> unit = passes_.unit(pass);
      if (!unit)
        return tl::unexpected(std::move(unit.error()));
      const Result<void> done = runPass(**unit, pass == instrument::Pass::Host);
      if (!done)
        return tl::unexpected(done.error());
    }
    Rewrite rewrite;
    rewrite.findings = std::move(findings_);
    if (rewrite.refused())
      return rewrite;
    for (Diagnostic &variable : variables_) {
      variable.severity = Severity::Warning;
      rewrite.findings.push_back(std::move(variable));
    }
    rewrite.sources = std::move(sources_);
    if (const Result<void> applied = edits_.apply(rewrite.sources); !applied) {
      rewrite.findings.push_back(toDiagnostic(applied.error()));
      rewrite.sources = {};
      return rewrite;
    }
    instrument::dropJoiningText(command_, rewrite.sources);
    for (instrument::SourceText &header : headers_)
      rewrite.sources.files.push_back(std::move(header));
    return rewrite;
  }

private:
  Result<void> runPass(ParsedUnit &unit, bool isFirst) {
    Findings findings(unit);
    if (isFirst) {
      sources_ = unit.userSources();
      usesCudaArch_ = unit.usesCudaArch();
      if (plan_.sourceDigest != instrument::sourceDigest(sources_))
        return tl::unexpected(otherProgram(
            plan_, fmt::format("the plan was made for other text of '{}'", command_.file)));
    }
    const ArrayFlow flow = ArrayFlow::analyse(unit);
    const ParentIndex index(unit);
    Program program{unit, flow, index, SourceReader(unit), findings, edits_, {}, {}};
    std::vector<std::unique_ptr<Target>> targets;
    std::map<std::uint32_t, const Decision *> decided;
    for (const Decision &decision : plan_.decisions)
      if (const Result<void> matched = match(decision, program, targets, decided, isFirst);
          !matched)
        return matched;
    if (isFirst && targets.empty())
      for (const Diagnostic &variable : variables_)
        findings.add(variable);
    nameTargets(targets);
    if (findings.empty())
      for (const auto &target : targets)
        checkNames(*target, program);
    if (findings.empty())
      placeHeaders(targets, program, isFirst);
    if (findings.empty())
      rewriteDeclarations(program);
    if (findings.empty()) {
      checkSources(program);
      rewriteUses(program);
    }
    if (findings.empty())
      includeVectorHeaders(program, sources_, vectorHeaders_);
    if (findings.empty() && isFirst)
      for (const auto &target : targets)
        writeHeader(*target, program.parts[target.get()]);
    for (const Diagnostic &finding : findings.all())
      if (std::ranges::none_of(findings_, [&](const Diagnostic &known) {
            return known.code == finding.code && known.where == finding.where;
          }))
        findings_.push_back(finding);
    return {};
  }

  Result<void> match(const Decision &decision, Program &program,
                     std::vector<std::unique_ptr<Target>> &targets,
                     std::map<std::uint32_t, const Decision *> &decided, bool isFirst) {
    const std::vector<std::uint32_t> groups = groupsOf(
        program.flow, decision, isFirst ? instrument::Pass::Host : instrument::Pass::Device);
    if (groups.empty() && isFirst && !decision.keep)
      return tl::unexpected(otherProgram(
          plan_, fmt::format("the plan speaks of arrays of '{}' that '{}' does not have",
                             decision.record, command_.file)));
    for (const std::uint32_t group : groups) {
      const clang::CXXRecordDecl *record = program.flow.groups()[group].record;
      const auto [before, isNew] = decided.try_emplace(group, &decision);
      if (!isNew &&
          (before->second->keep != decision.keep || !(before->second->layout == decision.layout))) {
        program.findings.refuse(
            Code::ConflictingEdits,
            fmt::format("arrays of '{}' that the plan decides about separately meet in device code",
                        nameOf(*record)),
            program.flow.groups()[group].declarations.front()->getLocation(),
            "give them one layout");
        continue;
      }
      if (decision.keep)
        continue;
      const std::optional<RecordShape> shape = shapeOf(*record, program.findings);
      if (!shape)
        continue;
      const bool sameFields =
          std::equal(shape->fields.begin(), shape->fields.end(), decision.fields.begin(),
                     decision.fields.end(), [](const ShapeField &field, const std::string &name) {
                       return field.name == name;
                     });
      if (!sameFields)
        return tl::unexpected(
            otherProgram(plan_, fmt::format("the plan's fields of '{}' are not the program's",
                                            decision.record)));
      if (isUnchanged(decision, *shape))
        continue;
      if (isVariable(program.flow.groups()[group])) {
        if (isFirst)
          noteVariable(program.flow.groups()[group], shape->name, program.unit);
        continue;
      }
      Target *target = nullptr;
      for (const auto &known : targets)
        if (known->record == record && known->layout == decision.layout)
          target = known.get();
      if (!target) {
        targets.push_back(
            std::make_unique<Target>(Target{record, *shape, decision.layout, namesFor(*shape)}));
        target = targets.back().get();
      }
      checkOrigins(program.flow.groups()[group], *target, program.findings);
      program.targets[group] = target;
    }
    return {};
  }

  /// Other arrays can be rewritten beside it; alone it is a refusal.
  void noteVariable(const instrument::ArrayGroup &group, const std::string &record,
                    ParsedUnit &unit) {
    Diagnostic finding;
    finding.severity = Severity::Error;
    finding.code = Code::OtherMemory;
    finding.where = unit.place(group.declarations.front()->getLocation());
    finding.text = fmt::format("'{}' stays as it is: it is a __device__ or __constant__ array of "
                               "'{}'",
                               ArrayFlow::nameOf(group.declarations.front()), record);
    finding.notes.push_back({finding.where, "only memory from cudaMalloc can be laid out anew"});
    variables_.push_back(std::move(finding));
  }

  /// Where arrays of one record get several layouts, each layout's header has names of its own;
  /// where records of two namespaces have one name, a file of its own.
  void nameTargets(const std::vector<std::unique_ptr<Target>> &targets) {
    for (const auto &target : targets) {
      std::vector<analysis::Layout> &layouts = layoutsOf_[qualifiedName(target->shape)];
      if (std::ranges::find(layouts, target->layout) == layouts.end())
        layouts.push_back(target->layout);
    }
    for (const auto &target : targets) {
      const std::vector<analysis::Layout> &layouts = layoutsOf_[qualifiedName(target->shape)];
      if (layouts.size() < 2)
        continue;
      std::vector<std::string> kinds;
      for (const analysis::Layout &layout : layouts)
        kinds.push_back(kindOf(layout));
      const auto own =
          static_cast<std::size_t>(std::ranges::find(layouts, target->layout) - layouts.begin());
      std::string kind = kinds[own];
      if (std::ranges::count(kinds, kind) > 1)
        kind += std::to_string(own + 1);
      target->names = namesFor(target->shape, kind);
    }
    for (const auto &target : targets)
      recordsOf_[target->names.file].insert(qualifiedName(target->shape));
    for (const auto &target : targets)
      if (recordsOf_[target->names.file].size() > 1)
        target->names.file = fileInNamespace(target->shape, target->names);
  }

  void checkNames(const Target &target, Program &program) {
    for (const std::string &word : target.names.identifiers(target.layout))
      for (const instrument::SourceText &file : sources_.files)
        if (holdsWord(file.original, word))
          return program.findings.refuse(
              Code::NameTaken, fmt::format("the program already uses the name '{}'", word),
              target.record->getLocation(), "rename it; the generated header needs the name");
    const Result<std::string> header = generateHeader(target.shape, target.layout, target.names);
    if (!header)
      return program.findings.refuse(header.error().code, header.error().text,
                                     target.record->getLocation(),
                                     "choose another layout, or leave the arrays as they are");
    for (const ShapeField &field : target.shape.fields)
      if (isMacro(program.unit.preprocessor(), field.name))
        return program.findings.refuse(
            Code::NameTaken,
            fmt::format("'{}' is a macro and a field of '{}', of which the view makes a function",
                        field.name, target.shape.name),
            target.record->getLocation(), "rename the one or the other");
    for (const instrument::SourceText &file : sources_.files)
      if (fs::path(file.relativePath).filename() == target.names.file)
        return program.findings.refuse(
            Code::NameTaken, fmt::format("the program already has a file '{}'", target.names.file),
            target.record->getLocation(), "rename it");
  }

  void placeHeaders(const std::vector<std::unique_ptr<Target>> &targets, Program &program,
                    bool isFirst) {
    std::map<const clang::CXXRecordDecl *, std::vector<const Target *>> byRecord;
    for (const auto &target : targets)
      if (!target->shape.isVectorType)
        byRecord[target->record].push_back(target.get());
    for (const auto &[record, headers] : byRecord) {
      const std::optional<FilePlace> include =
          IncludePlacer(program.reader, headers, program.findings, edits_).place();
      if (!include)
        continue;
      program.includes[record] = *include;
      if (!isFirst)
        continue;
      for (const instrument::SourceText &file : sources_.files)
        if (file.originalPath == include->path)
          for (const Target *target : headers)
            headerPaths_[target] =
                (fs::path(file.relativePath).parent_path() / target->names.file).string();
    }
  }

  void writeHeader(const Target &target, const HeaderParts &parts) {
    const Result<std::string> header =
        generateHeader(target.shape, target.layout, target.names, parts);
    const std::string &path =
        target.shape.isVectorType ? vectorHeaders_.at(target.names.file) : headerPaths_.at(&target);
    headers_.push_back({{}, path, {}, formatted(*header)});
  }

  ParsedPasses &passes_;
  const instrument::CompileCommand &command_;
  const Plan &plan_;
  EditSet edits_;
  instrument::SourceSet sources_;
  std::map<const Target *, std::string> headerPaths_; ///< of the first pass
  HeaderPaths vectorHeaders_;
  std::map<std::string, std::vector<analysis::Layout>> layoutsOf_; ///< by record, in plan order
  std::map<std::string, std::set<std::string>> recordsOf_;         ///< by the header's file
  std::vector<Diagnostic> variables_; ///< groups that stay as they are beside others
  std::vector<instrument::SourceText> headers_;
  std::vector<Diagnostic> findings_;
  bool usesCudaArch_ = false;
};

} // namespace

bool Rewrite::refused() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Diagnostic &finding) { return finding.severity == Severity::Error; });
}

Result<Rewrite> rewriteParsed(ParsedPasses &passes, const Plan &plan) {
  return Rewriter(passes, plan).run();
}

Result<Rewrite> rewrite(const instrument::CompileCommand &command, const Plan &plan) {
  ParsedPasses passes(command);
  return rewriteParsed(passes, plan);
}

} // namespace relayout::rewriter
