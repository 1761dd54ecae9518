// SPDX-License-Identifier: Apache-2.0
// The functions of the generated header that take the name of an array in a variable.
#include "header/variable_functions.h"

namespace relayout::rewriter {
namespace {

constexpr const char *kAddress =
    R"(/// cudaGetSymbolAddress.
template <std::size_t kElements>
inline cudaError_t @lower@GetSymbolAddress(@view@ *view, const @array@<kElements> &array) {
  void *address = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&address, array);
  if (status == cudaSuccess)
    *view = *static_cast<@array@<kElements> *>(address);
  return status;
}

)";

constexpr const char *kSize =
    R"(/// cudaGetSymbolSize, of the records.
template <std::size_t kElements>
inline cudaError_t @lower@GetSymbolSize(std::size_t *bytes, const @array@<kElements> &) {
  *bytes = kElements * sizeof(@record@);
  return cudaSuccess;
}

)";

constexpr const char *kCopyIn =
    R"(/// cudaMemcpyToSymbol@async@ from records.
template <std::size_t kElements>
inline cudaError_t @lower@MemcpyToSymbol@async@(const @array@<kElements> &array, const @record@ *from,
                                          std::size_t bytes, std::size_t offset = 0,
                                          cudaMemcpyKind kind = cudaMemcpyHostToDevice@streamDefault@) {
)";

constexpr const char *kCopyOut =
    R"(/// cudaMemcpyFromSymbol@async@ to records.
template <std::size_t kElements>
inline cudaError_t @lower@MemcpyFromSymbol@async@(@record@ *to, const @array@<kElements> &array,
                                            std::size_t bytes, std::size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyDeviceToHost@streamDefault@) {
)";

/// \param to, from  the records' side; empty: the array
std::string copy(const MemoryText &header, const char *head, const std::string &to,
                 const std::string &from, bool async) {
  const bool hasOffset = header.needs(ViewOperation::VariableOffset);
  const std::string view = hasOffset ? "view + offset / sizeof(@record@)" : "view";
  return header.filled(
      head +
          std::string(hasOffset ? "  if (offset % sizeof(@record@) != 0 || offset > kElements * "
                                  "sizeof(@record@) ||\n"
                                : "  if (offset != 0 ||\n") +
          "      bytes > kElements * sizeof(@record@) - offset)\n"
          "    return cudaErrorInvalidValue;\n"
          "  @view@ view;\n"
          "  const cudaError_t status = @lower@GetSymbolAddress(&view, array);\n"
          "  if (status != cudaSuccess)\n    return status;\n"
          "  return @lower@Memcpy@async@(" +
          (to.empty() ? view : to) + ", " + (from.empty() ? view : from) +
          ", bytes, kind@stream@);\n}\n\n",
      async);
}

} // namespace

std::string variableFunctions(const MemoryText &header) {
  std::string text;
  if (header.needs(ViewOperation::VariableAddress))
    text += header.filled(kAddress, /*async=*/false);
  if (header.needs(ViewOperation::VariableSize))
    text += header.filled(kSize, /*async=*/false);
  return text;
}

std::string variableCopies(const MemoryText &header, bool async) {
  std::string text;
  if (header.needs(ViewOperation::CopyIntoVariable))
    text += copy(header, kCopyIn, {}, "from", async);
  if (header.needs(ViewOperation::CopyOutOfVariable))
    text += copy(header, kCopyOut, "to", {}, async);
  return text;
}

} // namespace relayout::rewriter
