// SPDX-License-Identifier: Apache-2.0
// Names a file without the steps back that an #include brings.
#include "parse/presumed_place.h"

#include <filesystem>

namespace relayout::instrument {
namespace {

std::string withoutStepsBack(std::string name) {
  namespace fs = std::filesystem;
  if (name.find("/../") == std::string::npos)
    return name;
  const fs::path plain = fs::path(name).lexically_normal();
  std::error_code status; // a folder may be a link to another place
  return fs::equivalent(plain, name, status) ? plain.string() : name;
}

} // namespace

SourcePlace presumedPlace(const clang::SourceManager &sources, clang::SourceLocation location) {
  if (location.isInvalid())
    return {};
  const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (place.isInvalid())
    return {};
  return {withoutStepsBack(place.getFilename()), place.getLine(), place.getColumn()};
}

} // namespace relayout::instrument
