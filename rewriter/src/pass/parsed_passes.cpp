// SPDX-License-Identifier: Apache-2.0
// The host and the device view of a program's units, linked and indexed when they are asked for.
#include "pass/parsed_passes.h"

#include "relayout/instrument/clang/symbols.h"

#include <memory>

namespace relayout::rewriter {

using instrument::Pass;

Result<ParsedPasses::Indexed> ParsedPasses::index(Pass pass) {
  const auto units = program_.units(pass);
  if (!units)
    return tl::unexpected(units.error());
  if (pass == Pass::Host) {
    for (const auto &unit : **units) {
      const bool isC = !unit->ast().getLangOpts().CPlusPlus;
      instrument::addDefinitions(*unit, isC ? definitions_.ofC : definitions_.ofCxx);
      const std::vector<std::string> &files = definitions_.files.emplace_back(filesByEnd(*unit));
      definitions_.untyped.add(untypedUses(*unit));
      definitions_.unitsOfCuda += unit->ast().getLangOpts().CUDA;
      definitions_.filesInBracesOfC.merge(filesInBracesOfC(*unit));
      if (isC)
        definitions_.filesForC.insert(files.begin(), files.end());
    }
  }
  Indexed indexed;
  const bool isAlone = (*units)->size() == 1;
  for (std::size_t i = 0; i < (*units)->size(); ++i)
    if (const std::shared_ptr<instrument::ParsedUnit> &unit = (**units)[i])
      indexed.views.push_back({unit.get(), &program_.flows(pass)[i],
                               &indexed.indexes.emplace_back(*unit), &definitions_, isAlone});
  return indexed;
}

Result<std::vector<ParsedPasses::View>> ParsedPasses::views(Pass pass) {
  auto known = passes_.find(pass);
  if (known == passes_.end()) {
    auto indexed = index(pass);
    if (!indexed)
      return tl::unexpected(std::move(indexed.error()));
    known = passes_.emplace(pass, std::move(*indexed)).first;
  }
  return known->second.views;
}

} // namespace relayout::rewriter
