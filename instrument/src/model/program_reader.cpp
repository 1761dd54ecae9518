// SPDX-License-Identifier: Apache-2.0
// Reads the units of a program, links them, and answers what only the whole program can say.
#include "model/program_reader.h"

#include "model/fixed_sizes.h"
#include "model/kernel_limits.h"
#include "model/launch_loops.h"
#include "model/untraced_arrays.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace relayout::instrument {
namespace {

/// Finds names of what comes from standard input or files.
class InputFinder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit InputFinder(const clang::SourceManager &sources) : sources_(sources) {}
  bool found = false;

  bool TraverseDecl(clang::Decl *declaration) override {
    return (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
            sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation()))) ||
           clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    static constexpr std::array kInput{"scanf", "getchar", "stdin", "cin",     "wcin",     "fscanf",
                                       "fread", "fgets",   "fgetc", "getline", "getdelim", "mmap"};
    const clang::ValueDecl *declaration = name->getDecl();
    found |= declaration->getDeclName().isIdentifier() &&
             std::ranges::find(kInput, declaration->getName()) != kInput.end() &&
             sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation()));
    return !found;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    const clang::CXXRecordDecl *record = made->getConstructor()->getParent();
    found |= record->isInStdNamespace() &&
             (record->getName() == "basic_ifstream" || record->getName() == "basic_fstream");
    return !found;
  }

private:
  const clang::SourceManager &sources_;
};

/// Whether the program can be told to do something else than without arguments.
bool looksAtArguments(clang::ASTContext &ast) {
  const auto main =
      ast.getTranslationUnitDecl()->lookup(clang::DeclarationName(&ast.Idents.get("main")));
  return std::ranges::any_of(main, [](const clang::NamedDecl *declared) {
    const clang::FunctionDecl *defined = nullptr;
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declared);
    return function && function->hasBody(defined) &&
           std::ranges::any_of(defined->parameters(),
                               [](const clang::ParmVarDecl *one) { return one->isReferenced(); });
  });
}

/// Whether it reads files or standard input.
bool readsFiles(clang::ASTContext &ast) {
  InputFinder input(ast.getSourceManager());
  input.TraverseAST(ast);
  return input.found;
}

Result<void> readUnits(const ParsedProgram &program, CodeDetail detail, ReadProgram &read) {
  const auto host = program.units(Pass::Host);
  if (!host)
    return tl::unexpected(host.error());
  const auto device = program.units(Pass::Device);
  if (!device)
    return tl::unexpected(device.error());
  std::vector<ParsedUnit *> units;
  for (const auto &unit : **host)
    units.push_back(unit.get());
  read.model.sites.sourceDigest = sourceDigest(sourcesOf(units));
  read.model.sites.repeatsLaunches = mayRepeatLaunches(units);
  const std::vector<ArrayFlow> &flows = program.flows(Pass::Host);
  std::vector<std::string> files;
  // What is read tells no size where the text tells them all.
  const bool mayReadSizes =
      !std::ranges::all_of(units, [](ParsedUnit *unit) { return allocatesFixedSizes(*unit); });
  read.model.sites.readsInput = std::ranges::any_of(units, [&](ParsedUnit *unit) {
    return looksAtArguments(unit->ast()) || (mayReadSizes && readsFiles(unit->ast()));
  });
  for (std::size_t i = 0; i < units.size(); ++i) {
    const CompileCommand &command = program.program().units[i];
    files.push_back(command.file);
    UnitReading &unit = *read.units.emplace_back(std::make_unique<UnitReading>());
    unit.command = command;
    unit.facts.allAccesses = command.allAccesses;
    unit.facts.describesCode = detail == CodeDetail::Described;
    unit.host = readUnit((**host)[i], flows[i], Pass::Host, unit.facts);
    if ((**device)[i])
      unit.device = readUnit((**device)[i], {}, Pass::Device, unit.facts);
  }
  read.model.sites.sourceFile = shortList(files);
  return {};
}

} // namespace

namespace {

/// Still, with the structs that did become two types.
bool leadsToBoth(const SharedHolder &holder, const ParsedProgram &program) {
  if (holder.name.ends_with("()"))
    return true;
  const auto isOfHolder = [&](const std::string &array) {
    return std::ranges::any_of(holder.fields, [&](const std::string &field) {
      return array.ends_with(holder.name + "::" + field);
    });
  };
  return std::ranges::any_of(program.flows(Pass::Host), [&](const ArrayFlow &flow) {
    return std::ranges::any_of(flow.groups(), [&](const ArrayGroup &group) {
      return group.origins.areMixed() && std::ranges::any_of(group.arrays, isOfHolder);
    });
  });
}

} // namespace

Result<std::unique_ptr<ReadProgram>> readProgram(const ParsedProgram &program, CodeDetail detail) {
  auto read = std::make_unique<ReadProgram>();
  if (auto units = readUnits(program, detail, *read); !units)
    return tl::unexpected(std::move(units.error()));
  read->linked = linkFacts(read->units);
  makeModel(*read);
  for (const SharedHolder &holder : program.sharedHolders())
    if (!holder.obstacle.empty() && !holder.spansOf.empty())
      read->model.findings.push_back(
          {Severity::Warning,
           Code::PointerEscapes,
           fmt::format("arrays of '{}' that kernels are given in spans are not rewritten: {}",
                       holder.spansOf, holder.obstacle),
           holder.obstaclePlace,
           {}});
    else if (!holder.obstacle.empty() && holder.vectorsOf.empty() && leadsToBoth(holder, program))
      read->model.findings.push_back(
          {Severity::Warning,
           Code::OtherMemory,
           fmt::format("pointers in '{}' lead to memory of the host and of the device, and {}: {}",
                       holder.name,
                       holder.name.ends_with("()") ? "it cannot be two functions"
                                                   : "its objects cannot have two types",
                       holder.obstacle),
           holder.obstaclePlace,
           {}});
  return read;
}

namespace {

/// The kernel as the whole program knows it; null where no unit defines it.
const SourceFunction *findKernel(const ReadProgram &program, const UnitReading &unit,
                                 const clang::FunctionDecl *pattern) {
  const std::string symbol = symbolOf(*unit.host.unit, pattern);
  for (const auto &[place, function] : program.linked.whole.functions)
    if (function.isKernel && function.symbol == symbol)
      return &function;
  return nullptr;
}

} // namespace

trace::Index kernelOf(const ReadProgram &program, const UnitReading &unit,
                      const clang::FunctionDecl *pattern) {
  trace::Index row = 0;
  const SourceFunction *kernel = findKernel(program, unit, pattern);
  for (const auto &[place, function] : program.linked.whole.functions) {
    if (&function == kernel)
      return row;
    row += function.isKernel;
  }
  return trace::kNone;
}

bool synchronises(const ReadProgram &program, const UnitReading &unit,
                  const clang::FunctionDecl *pattern) {
  const LinkedFacts &linked = program.linked;
  const SourceFunction *kernel = findKernel(program, unit, pattern);
  std::vector<InstanceOf> open;
  for (const auto &reading : program.units)
    for (std::size_t i = 0; i < reading->host.found.instances.size(); ++i)
      if (kernel && linked.functionOf.at(reading->host.found.instances[i].source) == kernel)
        open.push_back({&reading->host, i});
  if (open.empty())
    return true;
  std::set<InstanceOf> seen(open.begin(), open.end());
  while (!open.empty()) {
    const InstanceOf at = open.back();
    open.pop_back();
    if ((*at).synchronises)
      return true;
    const auto follow = [&](const InstanceOf &callee) {
      if (seen.insert(callee).second)
        open.push_back(callee);
    };
    for (const CallEdge &edge : (*at).calls)
      follow({at.read, edge.callee});
    for (const OutsideCall &call : (*at).outsideCalls) {
      const InstanceOf *definition = linked.definitionOf(call);
      if (!definition)
        return true;
      follow(*definition);
    }
  }
  return false;
}

Result<void> checkTraceable(const ReadProgram &program) {
  const trace::SiteTable &table = program.model.sites;
  const SourcePlace file = {table.sourceFile, 0, 0};
  if (table.kernels.empty())
    return fail(Code::NoKernel,
                "no kernel: no __global__ function is defined (or instantiated) here", file);
  bool reached = false;
  // Records may also come in untyped and be cast, or be __device__ variables.
  for (const auto &unit : program.units)
    for (const FunctionInstance &instance : unit->host.found.instances)
      reached |= instance.takesRecordPointers || instance.pointerRooted;
  if (!table.reaches.empty() && reached)
    return {};
  std::vector<Note> notes = untracedArrays(program);
  const std::string_view rest =
      notes.empty() ? "; the kernels are given no array" : "; the notes say why these do not count";
  for (const Diagnostic &finding : program.model.findings) // touches records in other ways
    if (finding.severity == Severity::Warning)
      notes.push_back({finding.where, finding.text});
  const bool looksAtNumbers = program.units.front()->command.plainArrays;
  std::string text = fmt::format(
      "no array whose layout could be chosen reaches a kernel: looked for accesses to members of a "
      "struct or class of the program's own{} in device or managed memory, in {} kernel{} and the "
      "functions they call{}",
      looksAtNumbers ? ", to vector types, and to plain arrays" : " and to vector types",
      table.kernels.size(), table.kernels.size() == 1 ? "" : "s", rest);
  return fail(Code::NoRecordArray, std::move(text), file, std::move(notes));
}

std::optional<Error> parseFailure(const CompileCommand &unit, UnusedTemplates templates) {
  const auto host = parse(unit, Pass::Host, KeepTokens::No, templates);
  if (!host)
    return host.error();
  if (unit.language == Language::Cuda && (*host)->usesCudaArch())
    if (const auto device = parse(unit, Pass::Device, KeepTokens::No, templates); !device)
      return device.error();
  return beyondKernelLimits(**host);
}

Result<ProgramModel> buildProgramModel(const ParsedProgram &program, CodeDetail detail) {
  auto read = readProgram(program, detail);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  if (auto traceable = checkTraceable(**read); !traceable)
    return tl::unexpected(std::move(traceable.error()));
  return std::move((*read)->model);
}

} // namespace relayout::instrument
