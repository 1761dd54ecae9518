// SPDX-License-Identifier: Apache-2.0
// Puts the classes together from their parts, which mean what the library's do.
#include "structs/span_class.h"

#include "structs/name_text.h"

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

/// `S`, `R` and `L` stand for the class, its elements and the library's namespace.
std::string filledIn(std::string_view text, const std::string &name, const std::string &element,
                     const std::string &library) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool isAlone = (i + 1 == text.size() || !isWordCharacter(text[i + 1])) &&
                         (i == 0 || !isWordCharacter(text[i - 1]));
    if (isAlone && text[i] == 'S')
      result += name;
    else if (isAlone && text[i] == 'R')
      result += element;
    else if (isAlone && text[i] == 'L')
      result += library;
    else
      result += text[i];
  }
  return result;
}

class SpanText {
public:
  SpanText(const SpanClass &span, bool isConst)
      : span_(span), isConst_(isConst), name_(isConst ? constSpanName(span.name) : span.name),
        element_((isConst ? "const " : "") + span.element),
        parts_(isConst ? span.constParts : span.mutableParts) {}

  std::string write() {
    add(isConst_ && span_.hasMutable
            ? "/// The same of elements that do not change.\n"
            : "/// A part of an array in device memory, as a L::span<R> is of any.\n");
    add("class S {\npublic:\n  S() = default;\n");
    addConstructors();
    add("\n");
    addElements();
    addSizes();
    addParts();
    add("\nprivate:\n  R *data_ = nullptr;\n  std::size_t size_ = 0;\n};\n\n");
    return std::move(text_);
  }

private:
  [[nodiscard]] bool has(SpanPart part) const { return parts_.contains(part); }
  void add(std::string_view text) { text_ += filledIn(text, name_, element_, span_.library); }
  void addIf(SpanPart part, std::string_view text) {
    if (has(part))
      add(text);
  }

  void addConstructors() {
    if (has(SpanPart::PointerAndSize) || has(SpanPart::Subspan) || has(SpanPart::First) ||
        has(SpanPart::Last))
      add("  __host__ __device__ S(R *data, std::size_t size) : data_(data), size_(size) {}\n");
    addIf(SpanPart::PointerAndEnd,
          "  __host__ __device__ S(R *begin, R *end) : data_(begin), size_(end - begin) {}\n");
    if (has(SpanPart::FromMutable))
      text_ += fmt::format("  __host__ __device__ {}(const {} &other) : data_(other.data()), "
                           "size_(other.size()) {{}}\n",
                           name_, span_.name);
  }

  void addElements() {
    addIf(SpanPart::Subscript,
          "  __host__ __device__ R &operator[](std::size_t i) const { return data_[i]; }\n");
    addIf(SpanPart::Front, "  __host__ __device__ R &front() const { return *data_; }\n");
    addIf(SpanPart::Back, "  __host__ __device__ R &back() const { return data_[size_ - 1]; }\n");
    addIf(SpanPart::Data, "  __host__ __device__ R *data() const { return data_; }\n");
  }

  void addSizes() {
    addIf(SpanPart::Size, "  __host__ __device__ std::size_t size() const { return size_; }\n");
    if (has(SpanPart::SizeInBytes))
      text_ += fmt::format("  __host__ __device__ std::size_t size_bytes() const {{ return size_ * "
                           "sizeof({}); }}\n",
                           span_.element);
    addIf(SpanPart::Empty, "  __host__ __device__ bool empty() const { return size_ == 0; }\n");
  }

  void addParts() {
    addIf(SpanPart::Subspan,
          "  __host__ __device__ S subspan(std::size_t offset,\n"
          "                                std::size_t count = L::dynamic_extent) const {\n"
          "    return S(data_ + offset, count != L::dynamic_extent ? count : size_ - offset);\n"
          "  }\n");
    addIf(SpanPart::First,
          "  __host__ __device__ S first(std::size_t count) const { return S(data_, count); }\n");
    addIf(SpanPart::Last, "  __host__ __device__ S last(std::size_t count) const {\n"
                          "    return S(data_ + (size_ - count), count);\n"
                          "  }\n");
  }

  const SpanClass &span_;
  bool isConst_;
  std::string name_, element_;
  const std::set<SpanPart> &parts_;
  std::string text_;
};

} // namespace

std::string constSpanName(const std::string &name) { return "Const" + name; }

std::string textOf(const SpanClass &span) {
  SpanClass whole = span;
  if (span.constParts.contains(SpanPart::FromMutable)) {
    whole.mutableParts.insert({SpanPart::Data, SpanPart::Size});
    whole.hasMutable = true;
  }
  return (whole.hasMutable ? SpanText(whole, false).write() : std::string()) +
         (whole.hasConst ? SpanText(whole, true).write() : std::string());
}

} // namespace relayout::instrument
