// SPDX-License-Identifier: Apache-2.0
// Executor: fingerprints of what the program copies out of device memory.
#include "copy_digest.h"

#include "relayout/host/launch.h"

#include <algorithm>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace relayout::host {
namespace {

thread_local CopyNote nextNote;

/// Gathers what is hashed, so that short pieces between padding do not cost a call each.
class Hasher {
public:
  Hasher() { XXH3_128bits_reset(&state_); }

  void add(const std::byte *from, std::size_t bytes) {
    if (bytes >= sizeof buffer_ / 2) {
      flush();
      XXH3_128bits_update(&state_, from, bytes);
      return;
    }
    if (bytes > sizeof buffer_ - used_)
      flush();
    std::copy_n(from, bytes, buffer_ + used_);
    used_ += bytes;
  }

  std::string hex() {
    flush();
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

private:
  void flush() {
    XXH3_128bits_update(&state_, buffer_, used_);
    used_ = 0;
  }

  XXH3_state_t state_;
  std::byte buffer_[16384];
  std::size_t used_ = 0;
};

} // namespace

trace::CopyDigest digestOf(const CopiedBytes &bytes, const CopyNote &note) {
  trace::CopyDigest digest;
  digest.place = note.place;
  digest.bytes = bytes.width * bytes.height;
  Hasher hasher;
  for (std::size_t row = 0; row < bytes.height; ++row)
    digest.paddingBytes += takeValues(
        static_cast<const std::byte *>(bytes.from) + row * bytes.pitch, bytes.width, note.padding,
        [&hasher](const std::byte *from, std::size_t count) { hasher.add(from, count); });
  digest.digest = hasher.hex();
  return digest;
}

void setCopyNote(CopyNote note) { nextNote = std::move(note); }

CopyNote takeCopyNote() { return std::exchange(nextNote, CopyNote{}); }

void noteCopy(const char *place, std::uint32_t recordBytes, PaddingSpans padding) {
  CopyNote note{place, {recordBytes, padding}};
  std::sort(note.padding.spans.begin(), note.padding.spans.end());
  setCopyNote(std::move(note));
}

} // namespace relayout::host
