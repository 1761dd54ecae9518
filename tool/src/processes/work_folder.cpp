// SPDX-License-Identifier: Apache-2.0
// Where the user's program runs.
#include "processes/work_folder.h"

namespace relayout::tool {
namespace {

std::string &chosen() {
  static std::string folder;
  return folder;
}

} // namespace

void runProgramsIn(const std::string &folder) { chosen() = folder; }

const std::string &workFolder() { return chosen(); }

} // namespace relayout::tool
