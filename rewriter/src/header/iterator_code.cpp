// SPDX-License-Identifier: Apache-2.0
// Writes the types that iterators name, and the class that stands for an element.
#include "header/iterator_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {
namespace {

std::string iteratorTypes(const RecordShape &shape, const std::string &reference) {
  return fmt::format("  // As Thrust's iterators.\n"
                     "  using iterator_category = thrust::random_access_device_iterator_tag;\n"
                     "  using value_type = {};\n"
                     "  using difference_type = std::ptrdiff_t;\n"
                     "  using pointer = void;\n"
                     "  {}\n",
                     shape.name, reference);
}

} // namespace

bool isIteratorMember(const std::string &name) {
  static constexpr std::array<std::string_view, 5> kTypes = {
      "iterator_category", "value_type", "difference_type", "pointer", "reference"};
  return std::ranges::find(kTypes, name) != kTypes.end();
}

std::string constIteratorMembers(const RecordShape &shape, const GeneratedNames &names) {
  return iteratorTypes(shape, fmt::format("using reference = {};", shape.name)) +
         fmt::format("  __host__ __device__ {0} operator*() const {{ return {1}(); }}\n"
                     "  __host__ __device__ {0} operator[](std::ptrdiff_t i) const {{ return "
                     "(*this + i).{1}(); }}\n\n",
                     shape.name, names.load);
}

std::string iteratorMembers(const RecordShape &shape) {
  return iteratorTypes(shape, "class reference;") +
         "  __host__ __device__ inline reference operator*() const;\n"
         "  __host__ __device__ inline reference operator[](std::ptrdiff_t i) const;\n\n";
}

std::string elementReference(const RecordShape &shape, const GeneratedNames &names) {
  return fmt::format(
      R"(/// An element, as Thrust's algorithms read and assign it.
class {0}::reference {{
public:
  __host__ __device__ explicit reference({0} element) : element_(element) {{}}
  reference(const reference &) = default;
  __host__ __device__ operator {1}() const {{ return element_.{2}(); }}
  __host__ __device__ operator {0}() const {{ return element_; }}

  __host__ __device__ const reference &operator=(const {1} &value) const {{
    element_.{3}(0, value);
    return *this;
  }}
  __host__ __device__ const reference &operator=(const reference &other) const {{
    return *this = {1}(other);
  }}
  __host__ __device__ reference &operator=(const reference &other) {{
    element_.{3}(0, other);
    return *this;
  }}
  friend __host__ __device__ void swap(reference a, reference b) {{
    const {1} value = a;
    a = b;
    b = value;
  }}

private:
  {0} element_;
}};

__host__ __device__ inline {0}::reference {0}::operator*() const {{ return reference(*this); }}
__host__ __device__ inline {0}::reference {0}::operator[](std::ptrdiff_t i) const {{
  return reference(*this + i);
}}

)",
      names.view, shape.name, names.load, names.store);
}

std::string referenceTrait(const RecordShape &shape, const GeneratedNames &names) {
  std::string view;
  for (const std::string &space : shape.namespaces)
    view += space.empty() ? "" : space + "::";
  return fmt::format("/// Algorithms that take references assign to it as well.\n"
                     "template <> struct thrust::detail::is_proxy_reference<{}{}::reference> : "
                     "std::true_type {{}};\n",
                     view, names.view);
}

} // namespace relayout::rewriter
