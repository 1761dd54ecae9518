// SPDX-License-Identifier: Apache-2.0
// A CUDA program written in the test itself, with marks in comments: `/*A*/p[i].x` names the place
// after the mark "A".
#pragma once

#include "relayout/instrument/program_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace relayout::instrument {

/// A folder with the test's files, removed with the object.
class ProgramText {
public:
  explicit ProgramText(const std::string &main, const std::string &name = "program.cu") {
    std::string pattern = (std::filesystem::temp_directory_path() / "relayout-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    command.file = add(name, main);
    command.cudaHeaders = CUDA_HEADERS;
    text_ = main;
  }
  ~ProgramText() { std::filesystem::remove_all(folder_); }
  ProgramText(const ProgramText &) = delete;
  ProgramText &operator=(const ProgramText &) = delete;

  /// Adds a further unit.
  void addUnit(const std::string &name, const std::string &text) {
    CompileCommand unit = command;
    unit.file = add(name, text);
    unit.language = languageOf(unit.file, unit.flags);
    more_.push_back(std::move(unit));
  }

  [[nodiscard]] Program program() const {
    Program program(command);
    program.units.insert(program.units.end(), more_.begin(), more_.end());
    return program;
  }

  std::string add(const std::string &name, const std::string &text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  [[nodiscard]] std::string folder() const { return folder_.string(); }

  /// After the mark in the main file.
  [[nodiscard]] SourcePlace mark(const std::string &name) const {
    const std::string comment = "/*" + name + "*/";
    const std::size_t at = text_.find(comment);
    EXPECT_NE(at, std::string::npos) << "no mark " << name;
    const std::string before = text_.substr(0, at + comment.size());
    const std::size_t lineStart = before.rfind('\n') + 1;
    return {command.file, static_cast<unsigned>(std::count(before.begin(), before.end(), '\n') + 1),
            static_cast<unsigned>(before.size() - lineStart + 1)};
  }

  [[nodiscard]] ProgramModel model() const {
    auto model = buildProgramModel(program());
    EXPECT_TRUE(model.has_value()) << render(toDiagnostic(model ? Error{} : model.error()));
    return model ? std::move(*model) : ProgramModel{};
  }

  CompileCommand command;

private:
  std::filesystem::path folder_;
  std::string text_;
  std::vector<CompileCommand> more_;
};

/// "read Particle.x 4", "write Particle 32", one a site at the place, by id.
inline std::vector<std::string> sitesAt(const trace::SiteTable &table, const SourcePlace &place) {
  std::vector<std::string> found;
  for (const trace::Site &site : table.sites)
    if (site.place == place && site.record == trace::kNone) {
      found.push_back(std::string(trace::accessKindName(site.kind)) + " - " +
                      std::to_string(site.bytes));
    } else if (site.place == place) {
      const trace::Record &record = table.records.at(site.record);
      found.push_back(std::string(trace::accessKindName(site.kind)) + " " + record.name +
                      (site.field == trace::kNone ? "" : "." + record.fields.at(site.field).name) +
                      " " + std::to_string(site.bytes));
    }
  return found;
}

/// The codes of the findings at a place.
inline std::vector<std::string> codesAt(const ProgramModel &model, const SourcePlace &place) {
  std::vector<std::string> codes;
  for (const Diagnostic &finding : model.findings)
    if (finding.where == place)
      codes.push_back(codeName(finding.code));
  return codes;
}

} // namespace relayout::instrument
