// SPDX-License-Identifier: Apache-2.0
// The operations that views share with pointers.
#include "header/pointer_operations.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace relayout::rewriter {
namespace {

using Op = ViewOperation;

/// {0}: the view's name. In an order in which each uses those before it.
const std::vector<std::pair<Op, const char *>> &operators() {
  static const std::vector<std::pair<Op, const char *>> kOperators = {
      {Op::GoBack,
       "  __host__ __device__ {0} &operator-=(std::ptrdiff_t n) {{ return *this += -n; }}\n"},
      {Op::Increment, "  __host__ __device__ {0} &operator++() {{ return *this += 1; }}\n"},
      {Op::Decrement, "  __host__ __device__ {0} &operator--() {{ return *this += -1; }}\n"},
      {Op::PostIncrement,
       "  __host__ __device__ {0} operator++(int) {{\n    const {0} old = *this;\n"
       "    *this += 1;\n    return old;\n  }}\n"},
      {Op::PostDecrement,
       "  __host__ __device__ {0} operator--(int) {{\n    const {0} old = *this;\n"
       "    *this += -1;\n    return old;\n  }}\n"},
      {Op::Add, "  friend __host__ __device__ {0} operator+({0} view, std::ptrdiff_t n) {{ return "
                "view += n; }}\n"},
      {Op::AddInFront, "  friend __host__ __device__ {0} operator+(std::ptrdiff_t n, {0} view) {{ "
                       "return view += n; }}\n"},
      {Op::Subtract, "  friend __host__ __device__ {0} operator-({0} view, std::ptrdiff_t n) {{ "
                     "return view += -n; }}\n"},
      {Op::Walk, "  __host__ __device__ {0} operator*() const {{ return *this; }}\n"},
  };
  return kOperators;
}

} // namespace

ViewOperations withIteration(ViewOperations needs) {
  if (needs.count(Op::Iterate))
    needs.insert({Op::Add, Op::AddInFront, Op::Subtract, Op::Advance, Op::GoBack, Op::Increment,
                  Op::Decrement, Op::PostIncrement, Op::PostDecrement, Op::Difference, Op::Equality,
                  Op::Order, Op::LoadConst});
  return needs;
}

bool mayMove(const ViewOperations &needs) {
  if (needs.count(Op::Advance) || needs.count(Op::Iterate))
    return true;
  for (const auto &[operation, text] : operators())
    if (needs.count(operation))
      return true;
  return false;
}

ViewOperations needsOf(const HeaderParts &parts, bool scattersRanges) {
  ViewOperations needs = withIteration(parts.operations);
  const auto need = [&](std::initializer_list<Op> causes, std::initializer_list<Op> needed) {
    for (const Op cause : causes)
      if (parts.operations.count(cause))
        needs.insert(needed);
  };
  if (parts.insideElements) { // through records in device memory
    need({Op::Set}, {Op::CopyIn, Op::LoadConst, Op::Store, Op::Add});
    need({Op::CopyWithin}, {Op::CopyIn, Op::CopyOut, Op::LoadConst, Op::Store, Op::Add});
    need({Op::CopyIn}, {Op::LoadConst, Op::Add});
  }
  if (scattersRanges) { // by kernels
    need({Op::Set}, {Op::Store});
    need({Op::CopyWithin}, {Op::LoadConst, Op::Store});
  }
  need({Op::Iterate}, {Op::LoadMutable, Op::Store});
  need({Op::CopyIn, Op::HostCopyIn, Op::HostSet, Op::DeviceCopyIn, Op::DeviceSet}, {Op::Store});
  need({Op::CopyOut, Op::HostCopyOut, Op::DeviceCopyOut}, {Op::LoadConst});
  need({Op::HostCopyWithin, Op::DeviceCopyWithin}, {Op::LoadConst, Op::Store});
  if (parts.reachesHost) { // copies from host to host; and what reads the states to compare
    needs.insert({Op::LoadConst, Op::LoadMutable});
    need({Op::CopyIn}, {Op::HostCopyIn});
    need({Op::CopyOut}, {Op::HostCopyOut});
  }
  if (parts.conversions)
    needs.insert({Op::LoadConst, Op::LoadMutable, Op::Store});
  return needs;
}

std::string pointerOperations(const std::string &view, const std::string &advance,
                              const ViewOperations &needs) {
  if (!mayMove(needs))
    return {};
  std::string text = fmt::format("  __host__ __device__ {} &operator+=(std::ptrdiff_t n) {{\n{}"
                                 "    return *this;\n  }}\n",
                                 view, advance);
  for (const auto &[operation, code] : operators())
    if (needs.count(operation) && !(operation == Op::Walk && needs.count(Op::Iterate)))
      text += fmt::format(fmt::runtime(code), view);
  return text;
}

std::string comparisons(const ViewStorage &storage, const std::string &view,
                        const ViewOperations &needs, std::uint64_t stepElements) {
  std::string text = fmt::format(
      "  __host__ __device__ explicit operator bool() const {{ return {}; }}\n", storage.test());
  const std::string friends = fmt::format("(const {0} &a, const {0} &b) {{\n    return ", view);
  if (needs.count(Op::Difference))
    text += "  friend __host__ __device__ std::ptrdiff_t operator-" + friends +
            (stepElements == 1 ? storage.difference()
                               : fmt::format("({}) / {}", storage.difference(), stepElements)) +
            ";\n  }\n";
  for (const char *sign : {"==", "!=", "<", ">", "<=", ">="}) {
    const std::string_view name = sign;
    if (needs.count(name == "==" || name == "!=" ? Op::Equality : Op::Order))
      text += fmt::format("  friend __host__ __device__ bool operator{}{}{};\n  }}\n", name,
                          friends, storage.comparison(sign));
  }
  return text;
}

ViewOperations allViewOperations() {
  ViewOperations all;
  for (int i = 0; i <= static_cast<int>(Op::HostSet); ++i)
    all.insert(static_cast<Op>(i));
  all.insert({Op::DeviceCopyIn, Op::DeviceCopyOut, Op::DeviceCopyWithin, Op::DeviceSet});
  return all;
}

void HeaderParts::add(const HeaderParts &other) {
  onStreams |= other.onStreams;
  conversions |= other.conversions;
  freesConst |= other.freesConst;
  hintsOfConst |= other.hintsOfConst;
  insideElements |= other.insideElements;
  inVariables |= other.inVariables;
  reachesHost |= other.reachesHost;
  resetsDevice |= other.resetsDevice;
  isShared |= other.isShared;
  mayLackCuda |= other.mayLackCuda;
  isConstexpr |= other.isConstexpr;
  namesConst |= other.namesConst;
  operations.insert(other.operations.begin(), other.operations.end());
  ofConst.insert(other.ofConst.begin(), other.ofConst.end());
  onHost.insert(other.onHost.begin(), other.onHost.end());
  addressed.insert(other.addressed.begin(), other.addressed.end());
  macros.insert(other.macros.begin(), other.macros.end());
}

} // namespace relayout::rewriter
