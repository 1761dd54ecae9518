// SPDX-License-Identifier: Apache-2.0
// The host and the device view of a program's units, each parsed once and only when asked for.
#include "pass/parsed_passes.h"

#include "relayout/instrument/clang/symbols.h"

#include <algorithm>

namespace relayout::rewriter {

using instrument::Pass;

Result<void> ParsedPasses::parseHost() {
  auto units = instrument::parseAll(program_.units, Pass::Host);
  if (!units)
    return tl::unexpected(std::move(units.error()));
  host_ = std::make_unique<Parsed>();
  host_->units = std::move(*units);
  std::vector<instrument::ParsedUnit *> all;
  for (const auto &unit : host_->units)
    all.push_back(unit.get());
  for (instrument::ParsedUnit *unit : all)
    if (unit->ast().getLangOpts().CPlusPlus) // what C defines cannot take a view
      instrument::addDefinitions(*unit, definitions_);
  host_->flows = instrument::ArrayFlow::analyse(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    host_->views.push_back({all[i], &host_->flows[i], &host_->indexes.emplace_back(*all[i]),
                            &definitions_, all.size() == 1});
  return {};
}

Result<void> ParsedPasses::parseDevice() {
  device_ = std::make_unique<Parsed>();
  std::vector<instrument::ParsedUnit *> all;
  for (std::size_t i = 0; i < program_.units.size(); ++i) {
    std::unique_ptr<instrument::ParsedUnit> &unit = device_->units.emplace_back();
    instrument::ParsedUnit *const onHost = host_->units[i].get();
    if (program_.units[i].language == instrument::Language::Cuda && onHost->usesCudaArch()) {
      auto parsed = instrument::parse(program_.units[i], Pass::Device);
      if (!parsed)
        return tl::unexpected(std::move(parsed.error()));
      unit = std::move(*parsed);
    }
    all.push_back(unit ? unit.get() : onHost);
  }
  if (std::ranges::none_of(device_->units, [](const auto &unit) { return unit != nullptr; }))
    return {};
  device_->flows = instrument::ArrayFlow::analyse(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (device_->units[i])
      device_->views.push_back({all[i], &device_->flows[i], &device_->indexes.emplace_back(*all[i]),
                                &definitions_, all.size() == 1});
  return {};
}

Result<std::vector<ParsedPasses::View>> ParsedPasses::views(Pass pass) {
  if (!host_)
    if (auto parsed = parseHost(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  if (pass == Pass::Host)
    return host_->views;
  if (!device_)
    if (auto parsed = parseDevice(); !parsed)
      return tl::unexpected(std::move(parsed.error()));
  return device_->views;
}

} // namespace relayout::rewriter
