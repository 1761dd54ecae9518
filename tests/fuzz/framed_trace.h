// SPDX-License-Identifier: Apache-2.0
// Fuzzing: a trace without its checksums and sequence numbers, which no mutation would get right.
// A frame is: type u8, entries varint, payload as varint size and bytes.
#pragma once

#include "bytes.h"
#include "chunk_file.h"

#include <string>
#include <string_view>

namespace relayout::fuzz {

/// First byte of an input: the rest is a file as it stands, the payload of a chunk of accesses, or
/// frames.
enum class Form : unsigned char { File = 0, Accesses = 1, Frames = 2 };

inline void appendFrame(trace::ByteSink &sink, const trace::Chunk &chunk) {
  sink.u8(static_cast<std::uint8_t>(chunk.type));
  sink.varint(chunk.items);
  sink.text(chunk.payload);
}

/// Writes the frames as chunks of a trace file, up to the first that is cut short.
inline void writeFrames(std::string_view frames, const std::string &path) {
  Result<trace::ChunkWriter> writer = trace::ChunkWriter::create(path);
  if (!writer)
    __builtin_trap();
  trace::ByteSource source(frames);
  while (source.remaining() != 0) {
    const auto type = static_cast<trace::ChunkType>(source.u8());
    const std::uint64_t items = source.varint();
    const std::string payload = source.text();
    if (!source.ok())
      break;
    writer->append(type, items, payload);
  }
  if (!writer->close())
    __builtin_trap();
}

} // namespace relayout::fuzz
