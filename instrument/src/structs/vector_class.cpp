// SPDX-License-Identifier: Apache-2.0
// Puts the class together from its parts. Memory grows as Thrust's does, so that a pointer into it
// is good for as long.
#include "structs/vector_class.h"

#include "structs/name_text.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

/// `V`, `R` and `H` stand for the class, its elements and a vector of the host's.
std::string replaced(std::string_view text, const VectorClass &vector, const std::string &host) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto isOfName = [&](std::size_t at) {
      return at < text.size() && isWordCharacter(text[at]);
    };
    const bool isAlone = !isOfName(i + 1) && (i == 0 || !isOfName(i - 1));
    if (isAlone && text[i] == 'V')
      result += vector.name;
    else if (isAlone && text[i] == 'R')
      result += vector.element;
    else if (isAlone && text[i] == 'H')
      result += host + "<" + vector.element + ">";
    else
      result += text[i];
  }
  return result;
}

class ClassText {
public:
  explicit ClassText(const VectorClass &vector) : vector_(vector) {}

  std::string write() {
    add("/// Records in device memory. The host constructs, copies and reads them, as it does "
        "those "
        "of a\n/// thrust::device_vector<R>.\nclass V {\npublic:\n");
    addConstructors();
    addAssignments();
    addCopiesToHost();
    addAccess();
    addSizes();
    add("  void swap(V &other) noexcept {\n"
        "    std::swap(elements_, other.elements_);\n"
        "    std::swap(size_, other.size_);\n"
        "    std::swap(capacity_, other.capacity_);\n"
        "  }\n\nprivate:\n");
    addMemory();
    add("\n  R *elements_ = nullptr;\n"
        "  std::size_t size_ = 0;\n"
        "  std::size_t capacity_ = 0; ///< elements that the memory has room for\n};\n\n");
    return std::move(text_);
  }

private:
  using Part = VectorPart;

  void add(std::string_view text, const std::string &host = {}) {
    text_ += replaced(text, vector_, host);
  }
  [[nodiscard]] bool has(Part part) const {
    return std::ranges::any_of(vector_.parts,
                               [part](const auto &own) { return own.first == part; });
  }
  template <class... Parts> [[nodiscard]] bool hasAny(Parts... parts) const {
    return (has(parts) || ...);
  }
  void addIf(Part part, std::string_view text) {
    for (const auto &[own, host] : vector_.parts)
      if (own == part)
        add(text, host);
  }

  [[nodiscard]] bool resizes() const {
    return hasAny(Part::Resize, Part::FillResize, Part::PushBack);
  }
  /// Elements are made behind others.
  [[nodiscard]] bool fillsBehind() const {
    return has(Part::FillResize) || (has(Part::Resize) && !vector_.startsWithZeros);
  }
  [[nodiscard]] bool fills() const {
    return fillsBehind() || hasAny(Part::FillConstructor, Part::FillAssignment) ||
           (has(Part::SizeConstructor) && !vector_.startsWithZeros);
  }
  [[nodiscard]] std::string_view fillAll() const { return fillsBehind() ? "fill(0, " : "fill("; }

  void addConstructors() {
    add("  V() = default;\n");
    if (has(Part::SizeConstructor)) {
      add("  explicit V(std::size_t size) : V() {\n    makeRoom(size);\n");
      if (vector_.startsWithZeros)
        add("    check(cudaMemset(elements_, 0, size_ * sizeof(R)));\n  }\n");
      else
        add("    " + std::string(fillAll()) + "R());\n  }\n");
    }
    addIf(Part::FillConstructor,
          "  V(std::size_t size, const R &value) : V() {\n    assign(size, value);\n  }\n");
    addIf(Part::RangeConstructor,
          "  V(const R *begin, const R *end) : V() {\n    assign(begin, end);\n  }\n");
    addIf(Part::HostConstructor, "  V(const H &host) : V() {\n    *this = host;\n  }\n");
    add(has(Part::Copies) ? "  V(const V &other) : V() {\n    *this = other;\n  }\n"
                          : "  V(const V &) = delete;\n");
    add("  V(V &&other) noexcept { swap(other); }\n"
        "  ~V() { cudaFree(elements_); }\n\n");
  }

  void addAssignments() {
    add(has(Part::Copies)
            ? "  V &operator=(const V &other) {\n"
              "    if (this != &other) {\n"
              "      makeRoom(other.size_);\n"
              "      check(cudaMemcpy(elements_, other.elements_, size_ * sizeof(R),\n"
              "                       cudaMemcpyDeviceToDevice));\n"
              "    }\n"
              "    return *this;\n"
              "  }\n"
            : "  V &operator=(const V &) = delete;\n");
    add("  V &operator=(V &&other) noexcept {\n"
        "    V taken(std::move(other));\n"
        "    swap(taken);\n"
        "    return *this;\n"
        "  }\n");
    std::set<std::string> hosts;
    for (const auto &[part, host] : vector_.parts)
      if (part == Part::HostAssignment || part == Part::HostConstructor)
        hosts.insert(host);
    for (const std::string &host : hosts)
      add("  V &operator=(const H &host) {\n"
          "    assign(host.data(), host.data() + host.size());\n"
          "    return *this;\n"
          "  }\n",
          host);
    if (!hosts.empty() || hasAny(Part::RangeConstructor, Part::RangeAssignment))
      add("  void assign(const R *begin, const R *end) {\n"
          "    makeRoom(static_cast<std::size_t>(end - begin));\n"
          "    check(cudaMemcpy(elements_, begin, size_ * sizeof(R), cudaMemcpyHostToDevice));\n"
          "  }\n");
    if (hasAny(Part::FillConstructor, Part::FillAssignment))
      add("  void assign(std::size_t size, const R &value) {\n"
          "    makeRoom(size);\n    " +
          std::string(fillAll()) + "value);\n  }\n");
    add("\n");
  }

  void addCopiesToHost() {
    const std::size_t before = text_.size();
    addIf(Part::HostConversion, "  operator H() const {\n"
                                "    H host(size_);\n"
                                "    copyTo(host.data());\n"
                                "    return host;\n"
                                "  }\n");
    addIf(Part::CopyToVector, "  void copyTo(H &host) const {\n"
                              "    host.resize(size_);\n"
                              "    copyTo(host.data());\n"
                              "  }\n");
    if (hasAny(Part::CopyToPointer, Part::HostConversion, Part::CopyToVector))
      add("  void copyTo(R *host) const {\n"
          "    check(cudaMemcpy(host, elements_, size_ * sizeof(R), cudaMemcpyDeviceToHost));\n"
          "  }\n");
    addIf(Part::CopyFromRange, "  void copyFrom(const R *begin, const R *end) {\n"
                               "    check(cudaMemcpy(elements_, begin, (end - begin) * sizeof(R), "
                               "cudaMemcpyHostToDevice));\n  }\n");
    addIf(Part::CopyFromVector,
          "  void copyFrom(const V &other) {\n"
          "    check(cudaMemcpy(elements_, other.elements_, other.size_ * sizeof(R),\n"
          "                     cudaMemcpyDeviceToDevice));\n  }\n");
    addIf(Part::RangeToPointer,
          "  static void copyToHost(const R *begin, const R *end, R *host) {\n"
          "    check(cudaMemcpy(host, begin, (end - begin) * sizeof(R), "
          "cudaMemcpyDeviceToHost));\n  }\n");
    addIf(Part::RangeFromPointer,
          "  static void copyToDevice(const R *begin, const R *end, R *elements) {\n"
          "    check(cudaMemcpy(elements, begin, (end - begin) * sizeof(R), "
          "cudaMemcpyHostToDevice));\n  }\n");
    for (const auto &[part, host] : vector_.parts)
      if (part == Part::RangeToHost)
        add("  static H " + nameOfRangeToHost(host) +
                "(const R *begin, const R *end) {\n"
                "    H host(end - begin);\n"
                "    check(cudaMemcpy(host.data(), begin, host.size() * sizeof(R), "
                "cudaMemcpyDeviceToHost));\n"
                "    return host;\n  }\n",
            host);
    if (text_.size() != before)
      add("\n");
  }

  void addAccess() {
    addIf(Part::Data, "  R *data() { return elements_; }\n");
    addIf(Part::ConstData, "  const R *data() const { return elements_; }\n");
    addIf(Part::Iterators, "  R *begin() { return elements_; }\n"
                           "  R *end() { return elements_ + size_; }\n");
    addIf(Part::ConstIterators, "  const R *begin() const { return elements_; }\n"
                                "  const R *end() const { return elements_ + size_; }\n");
    addIf(Part::NamedConstIterators, "  const R *cbegin() const { return elements_; }\n"
                                     "  const R *cend() const { return elements_ + size_; }\n");
    addIf(Part::Get, "  R get(std::size_t i) const {\n"
                     "    R element;\n"
                     "    check(cudaMemcpy(&element, elements_ + i, sizeof(R), "
                     "cudaMemcpyDeviceToHost));\n"
                     "    return element;\n"
                     "  }\n");
    if (hasAny(Part::Set, Part::PushBack))
      add("  void set(std::size_t i, const R &element) {\n"
          "    check(cudaMemcpy(elements_ + i, &element, sizeof(R), cudaMemcpyHostToDevice));\n"
          "  }\n");
    addIf(Part::PushBack, "  void push_back(const R &element) {\n"
                          "    changeSize(size_ + 1);\n"
                          "    set(size_ - 1, element);\n"
                          "  }\n");
    add("\n");
  }

  void addSizes() {
    add("  std::size_t size() const { return size_; }\n");
    addIf(Part::Empty, "  bool empty() const { return size_ == 0; }\n");
    addIf(Part::Clear, "  void clear() { size_ = 0; }\n");
    const std::string first = "    const std::size_t before = size_;\n"
                              "    changeSize(size);\n"
                              "    if (size > before)\n      ";
    addIf(Part::Resize,
          "  void resize(std::size_t size) {\n" + first +
              (vector_.startsWithZeros
                   ? "check(cudaMemset(elements_ + before, 0, (size - before) * sizeof(R)));\n  }\n"
                   : "fill(before, R());\n  }\n"));
    addIf(Part::FillResize, "  void resize(std::size_t size, const R &value) {\n" + first +
                                "fill(before, value);\n  }\n");
    if (resizes() || has(Part::Reserve))
      add("  void reserve(std::size_t capacity) {\n"
          "    if (capacity <= capacity_)\n"
          "      return;\n"
          "    V larger;\n"
          "    larger.allocate(capacity);\n"
          "    check(cudaMemcpy(larger.elements_, elements_, size_ * sizeof(R),\n"
          "                     cudaMemcpyDeviceToDevice));\n"
          "    larger.size_ = size_;\n"
          "    swap(larger);\n"
          "  }\n");
  }

  void addMemory() {
    add("  static void check(cudaError_t status) {\n"
        "    if (status != cudaSuccess)\n"
        "      throw std::runtime_error(cudaGetErrorString(status));\n"
        "  }\n");
    if (fills())
      add("  void fill(" + std::string(fillsBehind() ? "std::size_t first, " : "") +
          "const R &value) {\n"
          "    const std::vector<R> values(" +
          (fillsBehind() ? "size_ - first" : "size_") +
          ", value);\n"
          "    check(cudaMemcpy(" +
          (fillsBehind() ? "elements_ + first" : "elements_") +
          ", values.data(), values.size() * sizeof(R),\n"
          "                     cudaMemcpyHostToDevice));\n"
          "  }\n");
    if (hasAny(Part::SizeConstructor, Part::FillConstructor, Part::RangeConstructor,
               Part::HostConstructor, Part::Copies, Part::HostAssignment) ||
        hasAny(Part::RangeAssignment, Part::FillAssignment))
      add("  /// Keeps no elements.\n"
          "  void makeRoom(std::size_t size) {\n"
          "    if (size > capacity_) {\n"
          "      V larger;\n"
          "      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);\n"
          "      swap(larger);\n"
          "    }\n"
          "    size_ = size;\n"
          "  }\n");
    if (resizes())
      add("  /// Leaves new elements as the memory was.\n"
          "  void changeSize(std::size_t size) {\n"
          "    if (size > capacity_)\n"
          "      reserve(size > 2 * capacity_ ? size : 2 * capacity_);\n"
          "    size_ = size;\n"
          "  }\n");
    add("  void allocate(std::size_t capacity) {\n"
        "    if (cudaMalloc(&elements_, capacity * sizeof(R)) != cudaSuccess)\n"
        "      throw std::bad_alloc();\n"
        "    capacity_ = capacity;\n"
        "  }\n");
  }

  const VectorClass &vector_;
  std::string text_;
};

} // namespace

std::string textOf(const VectorClass &vector) { return ClassText(vector).write(); }

} // namespace relayout::instrument
