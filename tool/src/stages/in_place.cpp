// SPDX-License-Identifier: Apache-2.0
// Edits the user's files where they are, all or none. Everything that can fail for want of space or
// permission is done before the first file changes: the journal, with each file's text before and
// after, is written first, and the new texts lie beside it ready to be renamed.
#include "stages/in_place.h"

#include "processes/files.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kFolder = ".relayout";
constexpr int kJournalVersion = 1;

struct Entry {
  std::string path; ///< below the root
  bool isNew = false;
  std::string before, after;
};

class Journal {
public:
  explicit Journal(fs::path root) : root_(std::move(root)) {}

  [[nodiscard]] bool exists() const { return fs::exists(folder() / "journal.json"); }
  [[nodiscard]] const fs::path &root() const { return root_; }
  [[nodiscard]] fs::path folder() const { return root_ / kFolder; }
  /// \param role  "before" or "after", a text of the file; "ready", what takes its place next
  [[nodiscard]] std::string text(std::size_t i, const char *role) const {
    return (folder() / fmt::format("{}.{}", i, role)).string();
  }

  [[nodiscard]] Result<std::vector<Entry>> read() const {
    const std::string file = (folder() / "journal.json").string();
    auto text = readFile(file);
    if (!text)
      return tl::unexpected(text.error());
    const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    std::vector<Entry> entries;
    try {
      if (json.at("format") != "relayout-journal" || json.at("version") != kJournalVersion)
        throw nlohmann::json::other_error::create(0, "another version", nullptr);
      for (const Json &row : json.at("files"))
        entries.push_back({row.at("path"), row.at("new"), {}, {}});
    } catch (const nlohmann::json::exception &) {
      return fail(Code::OtherFileVersion,
                  fmt::format("'{}' was not written by this version of relayout", file));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      auto before = readFile(this->text(i, "before"));
      auto after = readFile(this->text(i, "after"));
      if (!before || !after)
        return tl::unexpected(before ? after.error() : before.error());
      entries[i].before = std::move(*before);
      entries[i].after = std::move(*after);
    }
    return entries;
  }

  /// The journal, last of all, so that it is whole where it is there.
  [[nodiscard]] Result<void> write(const std::vector<Entry> &entries) const {
    if (auto written = writeFile((folder() / ".gitignore").string(), "*\n"); !written)
      return written;
    Json rows = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (const auto &[role, content] : {std::pair("before", &entries[i].before),
                                          {"after", &entries[i].after},
                                          {"ready", &entries[i].after}})
        if (auto written = writeFile(text(i, role), *content); !written)
          return written;
      if (auto probed = checkFolder(entries[i]); !probed)
        return probed;
      rows.push_back({{"path", entries[i].path}, {"new", entries[i].isNew}});
    }
    const Json json{{"format", "relayout-journal"}, {"version", kJournalVersion}, {"files", rows}};
    return writeFile((folder() / "journal.json").string(), json.dump(1));
  }

  void remove() const {
    std::error_code ignored;
    fs::remove_all(folder(), ignored);
  }

private:
  /// Whether its folder takes a file and, where it is there, it may be written.
  [[nodiscard]] Result<void> checkFolder(const Entry &entry) const {
    const fs::path file = root_ / entry.path;
    const std::string probe = (file.parent_path() / ".relayout-probe").string();
    if (auto written = writeFile(probe, ""); !written)
      return written;
    std::error_code ignored;
    fs::remove(probe, ignored);
    return {};
  }

  fs::path root_;
};

/// Puts a text in a file's place: by a rename where the file is its own, else through its links.
Result<void> replace(const fs::path &file, const fs::path &ready) {
  std::error_code status;
  const bool isThere = fs::exists(file, status);
  const bool isShared =
      isThere && (fs::is_symlink(file, status) || fs::hard_link_count(file, status) > 1);
  if (isThere) // copies take over the mode, too
    fs::permissions(ready, fs::status(file).permissions(), status);
  if (!status && isShared)
    fs::copy_file(ready, file, fs::copy_options::overwrite_existing, status);
  else if (!status)
    fs::rename(ready, file, status);
  if (status)
    return fail(Code::FileUnwritable,
                fmt::format("cannot write '{}': {}", file.string(), status.message()));
  return {};
}

Result<void> restore(const Journal &journal, const Entry &entry, std::size_t number) {
  const fs::path file = journal.root() / entry.path;
  std::error_code status;
  if (entry.isNew) {
    fs::remove(file, status);
    return {};
  }
  const std::string ready = journal.text(number, "ready");
  if (auto written = writeFile(ready, entry.before); !written)
    return written;
  return replace(file, ready);
}

std::vector<Entry> entriesOf(const instrument::SourceSet &sources) {
  std::vector<Entry> entries;
  for (const instrument::SourceText &file : sources.files)
    if (file.text != file.original || file.originalPath.empty())
      entries.push_back({file.relativePath, file.originalPath.empty(), file.original, file.text});
  return entries;
}

/// Files among these with changes that git knows no commit of; empty where git does not know them.
std::string uncommitted(const fs::path &root, const std::vector<Entry> &entries) {
  auto scratch = TemporaryFolder::make();
  if (!scratch)
    return {};
  std::vector<std::string> command = {
      "git", "-C", root.string(), "status", "--porcelain", "--untracked-files=no", "--"};
  for (const Entry &entry : entries)
    if (!entry.isNew)
      command.push_back(entry.path);
  const auto ran = runProcess({.command = command, .outputFile = scratch->file("status")});
  if (!ran || !ran->succeeded())
    return {};
  const std::string text = readFile(scratch->file("status")).value_or("");
  return text.size() < 4 ? std::string() : text.substr(3, text.find('\n') - 3);
}

/// That of the folder, or of the nearest one above it that has one.
Journal journalAbove(const std::string &folder) {
  fs::path root = fs::absolute(folder).lexically_normal();
  while (!Journal(root).exists() && root.has_relative_path())
    root = root.parent_path();
  return Journal(root);
}

/// The commands that undo what was written in folders below.
std::vector<Note> undoBelow(const std::string &folder) {
  constexpr int kDeepest = 3;
  std::vector<Note> notes;
  std::error_code status;
  for (fs::recursive_directory_iterator at(folder, status), end; at != end; at.increment(status)) {
    if (at.depth() == kDeepest || !at->is_directory(status))
      at.disable_recursion_pending();
    else if (Journal(at->path()).exists())
      notes.push_back({{},
                       fmt::format("'relayout undo {}' restores what was written there",
                                   at->path().lexically_normal().string())});
  }
  return notes;
}

bool isAfter(const Journal &journal, const Entry &entry) {
  const auto text = readFile((journal.root() / entry.path).string());
  return text && *text == entry.after;
}

bool isBefore(const Journal &journal, const Entry &entry) {
  const auto text = readFile((journal.root() / entry.path).string());
  return entry.isNew ? !text : text && *text == entry.before;
}

} // namespace

bool isWrittenInPlace(const std::string &folder) {
  const Journal journal = journalAbove(folder);
  const auto entries = journal.exists() ? journal.read() : Result<std::vector<Entry>>();
  return entries && !entries->empty() &&
         std::ranges::all_of(*entries, [&](const Entry &entry) { return isAfter(journal, entry); });
}

Result<std::vector<std::string>> writeInPlace(const instrument::SourceSet &sources,
                                              const std::string &root, ChangedFiles changed) {
  const Journal journal(root);
  const std::vector<Entry> entries = entriesOf(sources);
  if (const std::string file = uncommitted(root, entries);
      !file.empty() && changed == ChangedFiles::Refuse)
    return fail(Code::InvalidCommandLine, fmt::format("'{}' has uncommitted changes", file), {},
                {{{}, "commit or stash them, or pass --allow-dirty"}});
  if (journal.exists()) { // of an earlier call, whose files somebody changed or put back since
    const auto earlier = journal.read();
    const auto isOpen = [&](const Entry &entry) { return !isBefore(journal, entry); };
    if (!earlier || std::ranges::any_of(*earlier, isOpen))
      return fail(Code::InvalidCommandLine, "an earlier rewrite of these files is still open", {},
                  {{{}, "'relayout undo' restores the originals"}});
  }
  journal.remove();
  if (auto written = journal.write(entries); !written) {
    journal.remove();
    return tl::unexpected(written.error());
  }
  std::vector<std::string> files;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const fs::path file = journal.root() / entries[i].path;
    if (auto replaced = replace(file, journal.text(i, "ready")); !replaced) {
      for (std::size_t done = 0; done <= i; ++done)
        static_cast<void>(restore(journal, entries[done], done));
      journal.remove();
      return tl::unexpected(replaced.error());
    }
    files.push_back(file.string());
  }
  return files;
}

Result<EarlierRewrite> takeBack(const std::string &folder) {
  const Journal journal = journalAbove(folder);
  auto entries = journal.read();
  if (!entries)
    return tl::unexpected(entries.error());
  EarlierRewrite earlier{journal.root().string(), {}};
  for (Entry &entry : *entries)
    earlier.sources.files.push_back(
        {entry.isNew ? std::string() : (journal.root() / entry.path).string(), entry.path,
         std::move(entry.before), std::move(entry.after)});
  if (auto undone = undoInPlace(folder, ChangedFiles::Refuse); !undone)
    return tl::unexpected(undone.error());
  return earlier;
}

Result<UndoneFiles> undoInPlace(const std::string &folder, ChangedFiles changed) {
  const Journal journal = journalAbove(folder);
  if (!journal.exists())
    return fail(Code::FileUnreadable,
                fmt::format("there is nothing to undo: neither '{}' nor a folder above it has a "
                            "journal of 'relayout rewrite --write'",
                            folder),
                {}, undoBelow(folder));
  const auto entries = journal.read();
  if (!entries)
    return tl::unexpected(entries.error());
  for (const Entry &entry : *entries)
    if (changed == ChangedFiles::Refuse && !isAfter(journal, entry) && !isBefore(journal, entry))
      return fail(Code::InvalidCommandLine,
                  fmt::format("'{}' was changed after the rewrite", entry.path), {},
                  {{{}, "--force replaces it with the original"}});
  UndoneFiles files;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const Entry &entry = (*entries)[i];
    if (auto restored = restore(journal, entry, i); !restored)
      return tl::unexpected(restored.error());
    (entry.isNew ? files.removed : files.restored)
        .push_back((journal.root() / entry.path).string());
  }
  journal.remove();
  return files;
}

} // namespace relayout::tool
