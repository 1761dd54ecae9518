// SPDX-License-Identifier: Apache-2.0
// Trace file: numbers and text to little-endian bytes and back, never past the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace relayout::trace {

/// Appends values to a byte string.
class ByteSink {
public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }

  /// Seven bits a byte, low ones first; the top bit says that more follow.
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      u8(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    u8(static_cast<std::uint8_t>(value));
  }

  /// A difference modulo 2^64 as a varint in which small negative values are short too.
  void difference(std::uint64_t value) { varint((value << 1) ^ (0 - (value >> 63))); }

  void text(std::string_view value) {
    varint(value.size());
    bytes_.append(value);
  }

  [[nodiscard]] const std::string &bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

private:
  void fixed(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
      u8(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  std::string bytes_;
};

/// Takes values off a byte string. Reading past the end, or a malformed value, yields 0 and makes
/// ok() false from then on; callers check once, after the last value they need.
class ByteSource {
public:
  explicit ByteSource(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool atEnd() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      if (shift == 63 && byte > 1)
        break;
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }

  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > 0xffffffffu)
      ok_ = false;
    return ok_ ? static_cast<std::uint32_t>(value) : 0;
  }

  std::uint64_t difference() {
    const std::uint64_t value = varint();
    return (value >> 1) ^ (0 - (value & 1));
  }

  std::string text() {
    const std::uint64_t size = varint();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

private:
  std::uint64_t fixed(std::size_t width) {
    if (!ok_ || rest_.size() < width) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(width);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace relayout::trace
