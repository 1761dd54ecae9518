// SPDX-License-Identifier: Apache-2.0
// Text of the generated header with its names filled in.
#include "header/memory_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace relayout::rewriter {
namespace {

/// Bytes of a record of which 32 times 33, a tile, fit in the shared memory that every block may
/// have.
constexpr std::uint32_t kLargestInTiles = (48u << 10) / (32 * 33);

std::string extentParameters(const MemoryText &header) {
  std::string text;
  for (const std::string &name : header.storage.extentParameters())
    text += fmt::format(", {}Extent {}", header.names.stem, name);
  return text;
}

std::string givenExtents(const MemoryText &header) {
  std::string text;
  for (const std::string &name : header.storage.extentParameters())
    text += ", " + name;
  return text;
}

} // namespace

const std::string MemoryText::kEach =
    "  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;\n"
    "  if (i < count)";

bool MemoryText::allocates() const {
  return !parts.inVariables ||
         std::ranges::any_of(
             std::initializer_list<ViewOperation>{
                 ViewOperation::Allocate, ViewOperation::FillIn, ViewOperation::AllocateManaged,
                 ViewOperation::AllocatePinned, ViewOperation::AllocateMapped,
                 ViewOperation::DevicePointer, ViewOperation::Free, ViewOperation::FreePinned},
             [&](ViewOperation operation) { return needs(operation); });
}

bool MemoryText::copiesInTiles() const {
  return storage.copiesInTiles() && !shape.hasPrivateMembers && shape.bytes <= kLargestInTiles;
}

std::string MemoryText::filled(std::string text, bool async) const {
  const std::pair<const char *, std::string> words[] = {
      {"@lower@", names.lowerStem},
      {"@view@", names.view},
      {"@const@", names.constView},
      {"@array@", names.array},
      {"@freed@", parts.freesConst ? names.constView : names.view},
      {"@placed@", parts.hintsOfConst ? names.constView : names.view},
      {"@record@", shape.name},
      {"@stem@", names.stem},
      {"@inline@", parts.isShared ? "inline" : "static inline"},
      {"@async@", async ? "Async" : ""},
      {"@stream@", async ? ", stream" : ""},
      {"@extents@", extentParameters(*this)},
      {"@givenExtents@", givenExtents(*this)},
      {"@onStream@", async ? ", 0, stream" : ""},
      {"@streamDefault@", async ? ", cudaStream_t stream = 0" : ""},
      {"@streamParameter@", async ? ", cudaStream_t stream" : ""},
  };
  for (const auto &[word, replacement] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
      text.replace(at, std::char_traits<char>::length(word), replacement), at += replacement.size();
  return text;
}

} // namespace relayout::rewriter
