// SPDX-License-Identifier: Apache-2.0
// The generated headers of a program: one for all units, with what any of them needs.
#include "apply/shared_headers.h"

#include "edits/words.h"

#include <clang/Format/Format.h>
#include <clang/Tooling/Core/Replacement.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace relayout::rewriter {
namespace {

namespace fs = std::filesystem;

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

/// True if the unit includes CUDA's headers, so that its build finds them.
bool includesCuda(instrument::ParsedUnit &unit) {
  const clang::SourceManager &sources = unit.sources();
  return std::any_of(sources.fileinfo_begin(), sources.fileinfo_end(), [](const auto &file) {
    const llvm::StringRef name = file.first.getName();
    return name.ends_with("/cuda_runtime.h") || name.ends_with("/cuda_runtime_api.h");
  });
}

/// What may launch a kernel.
constexpr std::array kCopies = {ViewOperation::CopyIn, ViewOperation::CopyOut,
                                ViewOperation::CopyWithin, ViewOperation::Set};

bool copies(const HeaderParts &parts) {
  return std::ranges::any_of(
      kCopies, [&](ViewOperation operation) { return parts.operations.contains(operation); });
}

/// The files that a unit reads.
void addFiles(instrument::ParsedUnit &unit, std::set<std::string> &files) {
  files.insert(unit.pathOf(unit.sources().getMainFileID()));
  for (const instrument::Inclusion &inclusion : unit.inclusions())
    files.insert(inclusion.path);
}

/// The copies that a file calls by their names, in code that may be no unit's yet: of a template,
/// or of a copy of one that was written out.
void addCalled(const std::set<std::string> &words, const GeneratedNames &names,
               HeaderParts &parts) {
  const auto isCalled = [&](const std::string &name) {
    return words.contains(names.lowerStem + name) ||
           words.contains(names.lowerStem + name + "Async");
  };
  for (const ViewOperation operation : kCopies)
    if (parts.operations.contains(operation) &&
        isCalled(operation == ViewOperation::Set ? "Memset" : "Memcpy"))
      parts.onHost.insert(operation);
}

template <class Test> bool readsFile(instrument::ParsedUnit &unit, const Test &test) {
  return test(unit.pathOf(unit.sources().getMainFileID())) ||
         std::ranges::any_of(unit.inclusions(), [&](const instrument::Inclusion &inclusion) {
           return test(inclusion.path);
         });
}

/// What units need that include the header, and may have no array of the record.
void addIncluders(const Units &units, const UnitPass &owner, const Target &target,
                  const VectorIncludes &vectorIncludes, HeaderParts &parts,
                  std::set<std::string> &hostFiles) {
  const clang::SourceManager &sources = owner.program.unit.sources();
  const std::string &record = owner.program.unit.pathOf(
      sources.getFileID(sources.getExpansionLoc(target.record->getLocation())));
  // CUDA's headers define vector types: files of the program's include the header.
  const auto hasHeader = [&](const std::string &file) {
    if (!target.shape.isVectorType)
      return file == record;
    const auto headers = vectorIncludes.find(file);
    return headers != vectorIncludes.end() && headers->second.contains(target.names.file);
  };
  for (const auto &unit : units)
    if (readsFile(unit->program.unit, hasHeader)) {
      parts.isShared |= unit.get() != &owner;
      parts.mayLackCuda |= !unit->program.isCuda() && !includesCuda(unit->program.unit);
      if (!unit->program.isCuda())
        addFiles(unit->program.unit, hostFiles);
    }
}

/// A name for what the headers share that the program does not have: an earlier rewrite may have
/// left it.
std::string freeSpace(const std::set<std::string> &words, const instrument::SourceSet &sources) {
  std::string name = kSharedSpace;
  const auto isTaken = [&] {
    return words.contains(name) || std::ranges::any_of(sources.files, [&](const auto &source) {
             return fs::path(source.relativePath).stem() == name;
           });
  };
  for (int number = 2; isTaken(); ++number)
    name = kSharedSpace + std::to_string(number);
  return name;
}

} // namespace

void checkHostCopies(UnitPass &unit, const Units &units) {
  if (unit.program.isCuda())
    return;
  for (const auto &target : unit.targets) {
    const std::vector<std::string> &spaces = target->shape.namespaces;
    const bool isShared = std::ranges::find(spaces, "") == spaces.end() &&
                          std::ranges::any_of(units, [&](const auto &other) {
                            return other->program.isCuda() &&
                                   std::ranges::any_of(other->targets, [&](const auto &own) {
                                     return own->names.file == target->names.file;
                                   });
                          });
    if (!isShared && copies(unit.program.parts[target.get()]))
      unit.findings.refuse(Code::UnsupportedCudaCall,
                           fmt::format("host C++ copies arrays of '{}', whose definition no CUDA "
                                       "file shares with it",
                                       target->shape.name),
                           target->record->getLocation(),
                           "copy in a CUDA file, or define it in a header that one includes");
  }
}

void NeededHeaders::add(const Units &units, const VectorIncludes &vectorIncludes) {
  std::set<std::string> inPass;
  for (const auto &unit : units)
    for (const auto &target : unit->targets) {
      const std::string &file = target->names.file;
      const auto [entry, isNew] =
          needs_.try_emplace(file, Need{target->shape, target->layout, target->names, {}});
      Need &need = entry->second;
      need.parts.isShared |= !inPass.insert(file).second;
      // Host units may not see what a record is in device code.
      if (unit->program.isCuda() && !need.isOfCuda)
        need = {target->shape,
                target->layout,
                target->names,
                std::move(need.parts),
                need.access,
                true,
                std::move(need.hostFiles)};
      need.parts.add(unit->program.parts[target.get()]);
      need.access.add(kernelAccess(unit->program, *target));
      addIncluders(units, *unit, *target, vectorIncludes, need.parts, need.hostFiles);
    }
}

std::vector<instrument::SourceText>
NeededHeaders::write(const HeaderFolders &folders, const instrument::SourceSet &rewritten) const {
  if (needs_.empty())
    return {};
  const instrument::SourceText &first = rewritten.files.front();
  const fs::path root =
      first.originalPath.substr(0, first.originalPath.size() - first.relativePath.size());
  std::vector<instrument::SourceText> headers;
  const auto header = [&](const fs::path &path, const std::string &text) {
    return instrument::SourceText{{}, path.lexically_relative(root).string(), {}, formatted(text)};
  };
  std::map<std::string, std::set<std::string>> wordsOf; // by file
  std::set<std::string> words;
  for (const instrument::SourceText &source : rewritten.files) {
    const std::set<std::string> &own = wordsOf[source.originalPath] = wordsIn(source.text);
    words.insert(own.begin(), own.end());
  }
  HeaderParts all{.sharedSpace = freeSpace(words, rewritten)};
  const fs::path shared = fs::path(folders.at(needs_.begin()->first)) / (all.sharedSpace + ".h");
  std::vector<std::string> texts;
  for (const auto &[file, need] : needs_) {
    const fs::path folder = folders.at(file);
    HeaderParts parts = need.parts;
    for (const std::string &file : need.hostFiles)
      if (const auto own = wordsOf.find(file); own != wordsOf.end())
        addCalled(own->second, need.names, parts);
    parts.namesConst = words.contains(need.names.constView);
    // The host may write what both reach while a kernel runs.
    parts.isReadOnly = need.access.keepsWhatItReads() && !parts.reachesHost;
    parts.sharedSpace = all.sharedSpace;
    parts.sharedHeader = shared.lexically_relative(folder).string();
    all.add(parts);
    texts.push_back(*generateHeader(need.shape, need.layout, need.names, parts));
    headers.push_back(header(folder / file, texts.back()));
  }
  if (const std::string text = generateSharedHeader(texts, all); !text.empty())
    headers.insert(headers.begin(), header(shared, text));
  return headers;
}

} // namespace relayout::rewriter
