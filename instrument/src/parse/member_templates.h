// SPDX-License-Identifier: Apache-2.0
// nvcc takes `Cast<T>::to<4>(p)`, where `to` is a template of a class that depends on T; Clang
// compares `to` with 4 unless `template` stands in front of it.
#pragma once

#include "parse/written_place.h"
#include "relayout/instrument/clang/front_end.h"

#include <clang/Lex/Token.h>

#include <vector>

namespace relayout::instrument {

/// Adds where the `::` is written in front of those of the names that nothing says to be templates.
/// \param names  where qualified names begin that Clang found to be of functions
void addMemberTemplates(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                        WrittenPlaces &places);

/// While Clang parses: puts `template` behind the `::`. The text stays.
class MemberTemplates {
public:
  explicit MemberTemplates(const WrittenPlaces &places) : places_(places) {}

  void onToken(const clang::Token &token, clang::CompilerInstance &compiler) const;

private:
  const WrittenPlaces &places_;
};

} // namespace relayout::instrument
