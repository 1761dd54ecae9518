// SPDX-License-Identifier: Apache-2.0
// Trace file: the container; docs/trace-format.md describes it byte by byte.
#include "chunk_file.h"

#include "bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace relayout::trace {
namespace {

// A byte that is no text, the name, and both line ends: a file that went through a text-mode
// transfer is seen to be damaged at once.
constexpr std::string_view kMagic("\x8bRLTR\r\n\x1a", 8);
constexpr std::size_t kFileHeaderBytes = 16;
constexpr std::size_t kChunkHeaderBytes = 56;
constexpr std::uint32_t kCompressed = 1;
constexpr std::size_t kCompressFrom = 256; // below, a zstd frame saves little or nothing
constexpr int kCompressionLevel = 3;
/// Largest payload: what a reader may have to hold in memory.
constexpr std::uint64_t kMaxPayloadBytes = 64ull << 20;

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

tl::unexpected<Error> ioFailure(const std::string &path, const char *action) {
  return fail(Code::TraceUnreadable,
              fmt::format("cannot {} '{}': {}", action, path, std::strerror(errno)));
}

} // namespace

Result<ChunkWriter> ChunkWriter::create(const std::string &path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return ioFailure(path, "write");
  ChunkWriter writer(path, file);
  ByteSink version;
  version.u32(kFormatVersion);
  version.u32(0);
  writer.write(std::string(kMagic) + version.bytes());
  if (writer.failure_)
    return tl::unexpected(*writer.failure_);
  return writer;
}

ChunkWriter::ChunkWriter(ChunkWriter &&other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)),
      sequence_(other.sequence_), failure_(std::move(other.failure_)),
      packed_(std::move(other.packed_)) {}

ChunkWriter::~ChunkWriter() {
  if (file_ >= 0)
    ::close(file_);
}

void ChunkWriter::write(std::string_view bytes) {
  while (!bytes.empty() && !failure_) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failure_ = ioFailure(path_, "write").value();
    else
      bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::uint64_t ChunkWriter::append(ChunkType type, std::uint64_t items, std::string_view payload) {
  if (failure_ || file_ < 0)
    return 0;
  if (payload.size() > kMaxPayloadBytes) {
    failure_ = Error{Code::TraceUnreadable,
                     fmt::format("cannot write '{}': a chunk of {} bytes is above the limit of {}",
                                 path_, payload.size(), kMaxPayloadBytes),
                     {},
                     {}};
    return 0;
  }
  std::string_view stored = payload;
  std::uint32_t flags = 0;
  if (payload.size() >= kCompressFrom) {
    packed_.resize(ZSTD_compressBound(payload.size()));
    const std::size_t size = ZSTD_compress(packed_.data(), packed_.size(), payload.data(),
                                           payload.size(), kCompressionLevel);
    if (ZSTD_isError(size) == 0 && size < payload.size()) {
      stored = std::string_view(packed_).substr(0, size);
      flags |= kCompressed;
    }
  }
  ByteSink header;
  header.u32(static_cast<std::uint32_t>(type));
  header.u32(flags);
  header.u64(sequence_++);
  header.u64(items);
  header.u64(stored.size());
  header.u64(payload.size());
  header.u64(checksum(stored));
  header.u64(checksum(header.bytes()));
  write(header.bytes());
  write(stored);
  return failure_ ? 0 : header.size() + stored.size();
}

Result<void> ChunkWriter::close() {
  if (!failure_ && file_ >= 0 && ::close(std::exchange(file_, -1)) != 0)
    failure_ = ioFailure(path_, "write").value();
  if (failure_)
    return tl::unexpected(*failure_);
  return {};
}

void ChunkReader::CloseFile::operator()(void *file) const {
  std::fclose(static_cast<std::FILE *>(file));
}

Result<ChunkReader> ChunkReader::open(const std::string &path) {
  ChunkReader reader(path);
  reader.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!reader.file_)
    return ioFailure(path, "read");
  struct stat status {};
  if (::fstat(::fileno(static_cast<std::FILE *>(reader.file_.get())), &status) != 0)
    return ioFailure(path, "read");
  if (!S_ISREG(status.st_mode))
    return fail(Code::TraceUnreadable, fmt::format("cannot read '{}': not a regular file", path));
  reader.size_ = static_cast<std::uint64_t>(status.st_size);

  const Result<std::string> header = reader.read(kFileHeaderBytes);
  if (!header)
    return tl::unexpected(header.error());
  if (header->substr(0, kMagic.size()) != kMagic)
    return fail(Code::NotATrace,
                header->empty() ? fmt::format("'{}' is not a relayout trace: it is empty", path)
                                : fmt::format("'{}' is not a relayout trace", path));
  if (header->size() < kFileHeaderBytes)
    return reader; // next() finds nothing more: incomplete from the start
  ByteSource source(std::string_view(*header).substr(kMagic.size()));
  const std::uint32_t version = source.u32();
  if (version != kFormatVersion)
    return fail(Code::OtherTraceVersion,
                fmt::format("'{}' is a trace of format version {}; this program reads version {}",
                            path, version, kFormatVersion));
  if (source.u32() != 0)
    return reader.damaged("bytes that must be zero are not");
  return reader;
}

tl::unexpected<Error> ChunkReader::damaged(const std::string &what) const {
  return fail(Code::DamagedTrace,
              fmt::format("'{}' is damaged near byte {}: {}", path_, position_, what));
}

Result<std::string> ChunkReader::read(std::uint64_t count) {
  std::string bytes(std::min(count, size_ - std::min(size_, position_)), '\0');
  auto *file = static_cast<std::FILE *>(file_.get());
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file);
  if (got < bytes.size() && std::ferror(file) != 0)
    return ioFailure(path_, "read");
  bytes.resize(got);
  position_ += got;
  return bytes;
}

Result<std::optional<Chunk>> ChunkReader::next() {
  const Result<std::string> header = read(kChunkHeaderBytes);
  if (!header)
    return tl::unexpected(header.error());
  if (ended_) {
    if (!header->empty())
      return damaged("there are bytes after the end mark");
    return std::nullopt;
  }
  if (header->size() < kChunkHeaderBytes)
    return std::nullopt;

  ByteSource source(*header);
  const std::uint32_t type = source.u32();
  const std::uint32_t flags = source.u32();
  const std::uint64_t sequence = source.u64();
  Chunk chunk;
  chunk.items = source.u64();
  const std::uint64_t storedBytes = source.u64();
  const std::uint64_t payloadBytes = source.u64();
  const std::uint64_t payloadChecksum = source.u64();
  const std::uint64_t headerChecksum = source.u64();
  if (headerChecksum != checksum(std::string_view(*header).substr(0, kChunkHeaderBytes - 8)))
    return damaged("the checksum of a chunk header does not hold");
  if (type < static_cast<std::uint32_t>(ChunkType::Machine) ||
      type > static_cast<std::uint32_t>(ChunkType::End))
    return fail(Code::OtherTraceVersion,
                fmt::format("'{}' has a chunk of type {}, which format version {} does "
                            "not know",
                            path_, type, kFormatVersion));
  if (sequence != sequence_)
    return damaged(fmt::format("chunk {} stands where chunk {} belongs", sequence, sequence_));
  if ((flags & ~kCompressed) != 0 || payloadBytes > kMaxPayloadBytes ||
      storedBytes > kMaxPayloadBytes || ((flags & kCompressed) == 0 && storedBytes != payloadBytes))
    return damaged("a chunk header contradicts itself");
  ++sequence_;
  chunk.type = static_cast<ChunkType>(type);

  Result<std::string> stored = read(storedBytes);
  if (!stored)
    return tl::unexpected(stored.error());
  if (stored->size() < storedBytes)
    return std::nullopt;
  if (checksum(*stored) != payloadChecksum)
    return damaged("the checksum of a chunk does not hold");
  if ((flags & kCompressed) == 0) {
    chunk.payload = std::move(*stored);
  } else {
    chunk.payload.resize(payloadBytes);
    const std::size_t size =
        ZSTD_decompress(chunk.payload.data(), chunk.payload.size(), stored->data(), stored->size());
    if (ZSTD_isError(size) != 0 || size != payloadBytes)
      return damaged("a chunk does not decompress to its stated size");
  }
  ended_ = chunk.type == ChunkType::End;
  return std::optional<Chunk>(std::move(chunk));
}

} // namespace relayout::trace
