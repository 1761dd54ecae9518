// SPDX-License-Identifier: Apache-2.0
// Trace file: the container, a header and checksummed chunks; knows nothing of what they hold.
#pragma once

#include "relayout/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace relayout::trace {

inline constexpr std::uint32_t kFormatVersion = 5;

enum class ChunkType : std::uint32_t {
  Machine = 1,
  Command = 2,
  SiteTable = 3,
  Launches = 4,
  Allocations = 5,
  Copies = 6,
  Accesses = 7,
  Transfers = 8,
  End = 9,
};

struct Chunk {
  ChunkType type = ChunkType::End;
  std::uint64_t items = 0; ///< entries in the payload
  std::string payload;     ///< uncompressed
};

/// Appends chunks to a new file. The first failure is kept; later calls do nothing.
class ChunkWriter {
public:
  /// \error RL-T07 the file cannot be written
  [[nodiscard]] static Result<ChunkWriter> create(const std::string &path);
  ChunkWriter(ChunkWriter &&other) noexcept;
  ChunkWriter &operator=(ChunkWriter &&) = delete;
  ~ChunkWriter();

  /// \returns bytes the chunk takes in the file; 0 after a failure
  std::uint64_t append(ChunkType type, std::uint64_t items, std::string_view payload);
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// \error RL-T07
  [[nodiscard]] Result<void> close();

private:
  ChunkWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void write(std::string_view bytes);

  std::string path_;
  int file_ = -1;
  std::uint64_t sequence_ = 0;
  std::optional<Error> failure_;
  std::string packed_; ///< kept between chunks for its capacity
};

/// Reads chunks in order and trusts no byte of them.
class ChunkReader {
public:
  /// \error RL-T01 not a trace; RL-T02 of another version; RL-T03 damaged; RL-T07 cannot be read
  [[nodiscard]] static Result<ChunkReader> open(const std::string &path);

  /// The next chunk, the end chunk included; nothing where the file breaks off instead.
  /// \error RL-T02, RL-T03, RL-T07
  [[nodiscard]] Result<std::optional<Chunk>> next();

  /// Whether the end chunk has been returned.
  [[nodiscard]] bool ended() const { return ended_; }

  /// A checksum holds, but what the chunk says cannot be.
  [[nodiscard]] tl::unexpected<Error> damaged(const std::string &what) const;

private:
  struct CloseFile {
    void operator()(void *file) const;
  };

  explicit ChunkReader(std::string path) : path_(std::move(path)) {}
  /// Up to `count` bytes; fewer only at the end of the file.
  [[nodiscard]] Result<std::string> read(std::uint64_t count);

  std::string path_;
  std::unique_ptr<void, CloseFile> file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t sequence_ = 0;
  bool ended_ = false;
};

} // namespace relayout::trace
