// SPDX-License-Identifier: Apache-2.0
// A program's units as Clang reads them, parsed when they are first asked for.
#include "relayout/instrument/parsed_program.h"

#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/front_end.h"

#include <optional>
#include <utility>

namespace relayout::instrument {

struct ParsedProgram::State {
  struct ParsedPass {
    Units units;
    std::vector<ArrayFlow> flows; ///< empty until they are asked for
  };

  Program program;
  std::optional<ParsedPass> host, device;

  Result<void> parseHost() {
    auto parsed = parseAll(program.units, Pass::Host);
    if (!parsed)
      return tl::unexpected(std::move(parsed.error()));
    host.emplace();
    for (auto &unit : *parsed)
      host->units.emplace_back(std::move(unit));
    return {};
  }

  Result<void> parseDevice() {
    std::vector<CompileCommand> commands;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < program.units.size(); ++i)
      if (program.units[i].language == Language::Cuda && host->units[i]->usesCudaArch()) {
        commands.push_back(program.units[i]);
        places.push_back(i);
      }
    auto parsed = parseAll(commands, Pass::Device);
    if (!parsed)
      return tl::unexpected(std::move(parsed.error()));
    device.emplace().units.resize(program.units.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      device->units[places[i]] = std::move((*parsed)[i]);
    return {};
  }

  ParsedPass &of(Pass pass) { return pass == Pass::Host ? *host : *device; }
};

ParsedProgram::ParsedProgram(Program program)
    : state_(std::make_shared<State>(State{std::move(program), {}, {}})) {}
ParsedProgram::ParsedProgram(CompileCommand unit) : ParsedProgram(Program(std::move(unit))) {}
ParsedProgram::~ParsedProgram() = default;
ParsedProgram::ParsedProgram(const ParsedProgram &) = default;
ParsedProgram &ParsedProgram::operator=(const ParsedProgram &) = default;

const Program &ParsedProgram::program() const { return state_->program; }

Result<const ParsedProgram::Units *> ParsedProgram::units(Pass pass) const {
  if (!state_->host)
    if (auto parsed = state_->parseHost(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  if (pass == Pass::Device && !state_->device)
    if (auto parsed = state_->parseDevice(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  return &state_->of(pass).units;
}

const std::vector<ArrayFlow> &ParsedProgram::flows(Pass pass) const {
  State::ParsedPass &parsed = state_->of(pass);
  if (!parsed.flows.empty())
    return parsed.flows;
  std::vector<ParsedUnit *> all;
  for (std::size_t i = 0; i < parsed.units.size(); ++i)
    all.push_back(parsed.units[i] ? parsed.units[i].get() : state_->host->units[i].get());
  return parsed.flows = ArrayFlow::analyse(all);
}

} // namespace relayout::instrument
