// SPDX-License-Identifier: Apache-2.0
// Trace file: the payloads other than warp accesses, to bytes and back.
#include "metadata.h"

namespace relayout::trace {
namespace {

/// A count of entries that the remaining bytes could hold, at one byte an entry or more.
bool decodeSize(ByteSource &source, std::size_t &size) {
  size = source.varint();
  return source.ok() && size <= source.remaining();
}

/// Kinds of memory; 0: any other.
constexpr std::uint64_t kManaged = 1, kVariable = 2;

} // namespace

void encode(const Machine &machine, ByteSink &sink) {
  sink.text(machine.kind);
  sink.text(machine.name);
}

bool decode(ByteSource &source, Machine &machine) {
  machine.kind = source.text();
  machine.name = source.text();
  return source.ok();
}

void encode(const Launch &launch, ByteSink &sink) {
  sink.varint(launch.kernel);
  for (const auto extent : {launch.grid, launch.block})
    for (const std::uint32_t size : extent)
      sink.varint(size);
  sink.varint(launch.sharedBytes);
  sink.varint(launch.sampleStride);
}

bool decode(ByteSource &source, Launch &launch) {
  launch.kernel = source.varint32();
  for (auto *extent : {&launch.grid, &launch.block})
    for (std::uint32_t &size : *extent)
      size = source.varint32();
  launch.sharedBytes = source.varint();
  launch.sampleStride = source.varint();
  return source.ok();
}

void encode(const Allocation &allocation, ByteSink &sink) {
  sink.varint(allocation.address);
  sink.varint(allocation.bytes);
  sink.varint(allocation.extents.size());
  for (const Extent &extent : allocation.extents) {
    sink.text(extent.text);
    sink.varint(extent.value);
    sink.varint(extent.digit);
  }
  sink.varint(allocation.group);
  sink.varint(allocation.isManaged ? kManaged : allocation.isVariable ? kVariable : 0);
}

bool decode(ByteSource &source, Allocation &allocation) {
  allocation.address = source.varint();
  allocation.bytes = source.varint();
  for (std::uint64_t left = source.varint(); left != 0 && source.ok(); --left) {
    Extent &extent = allocation.extents.emplace_back();
    extent.text = source.text();
    extent.value = source.varint();
    extent.digit = source.varint32();
  }
  allocation.group = source.varint32();
  const std::uint64_t kind = source.varint();
  allocation.isManaged = kind == kManaged;
  allocation.isVariable = kind == kVariable;
  return source.ok();
}

void encode(const CopyDigest &copy, ByteSink &sink) {
  sink.varint(copy.bytes);
  sink.varint(copy.paddingBytes);
  sink.text(copy.digest);
  sink.text(copy.place);
}

bool decode(ByteSource &source, CopyDigest &copy) {
  copy.bytes = source.varint();
  copy.paddingBytes = source.varint();
  copy.digest = source.text();
  copy.place = source.text();
  return source.ok();
}

void encode(const HostTransfer &transfer, ByteSink &sink) {
  sink.varint(transfer.address);
  sink.varint(transfer.isToHost ? 1 : 0);
  sink.varint(transfer.copies);
  sink.varint(transfer.bytes);
  sink.text(transfer.place);
}

bool decode(ByteSource &source, HostTransfer &transfer) {
  transfer.address = source.varint();
  transfer.isToHost = source.varint() != 0;
  transfer.copies = source.varint();
  transfer.bytes = source.varint();
  transfer.place = source.text();
  return source.ok();
}

void encode(const Totals &totals, ByteSink &sink) {
  sink.varint(totals.kernels.size());
  for (const std::string &name : totals.kernels)
    sink.text(name);
  sink.varint(totals.counts.size());
  for (const SiteCount &row : totals.counts) {
    sink.varint(row.kernel);
    sink.varint(row.site);
    sink.varint(row.warpAccesses);
    sink.varint(row.laneAccesses);
    sink.varint(row.recorded);
    sink.varint(row.dropped);
  }
  sink.varint(totals.loops.size());
  for (const LoopCount &row : totals.loops) {
    sink.varint(row.kernel);
    sink.varint(row.loop);
    sink.varint(row.warpEntries);
    sink.varint(row.warpIterations);
  }
  sink.varint(totals.launchesExecuted);
  sink.varint(totals.blocksExecuted);
  sink.varint(totals.blocksSampled);
  sink.varint(totals.accessRecords);
}

bool decode(ByteSource &source, Totals &totals) {
  std::size_t size = 0;
  if (!decodeSize(source, size))
    return false;
  totals.kernels.resize(size);
  for (std::string &name : totals.kernels)
    name = source.text();
  if (!decodeSize(source, size))
    return false;
  totals.counts.resize(size);
  for (SiteCount &row : totals.counts) {
    row.kernel = source.varint32();
    row.site = source.varint32();
    row.warpAccesses = source.varint();
    row.laneAccesses = source.varint();
    row.recorded = source.varint();
    row.dropped = source.varint();
  }
  if (!decodeSize(source, size))
    return false;
  totals.loops.resize(size);
  for (LoopCount &row : totals.loops) {
    row.kernel = source.varint32();
    row.loop = source.varint32();
    row.warpEntries = source.varint();
    row.warpIterations = source.varint();
  }
  totals.launchesExecuted = source.varint();
  totals.blocksExecuted = source.varint();
  totals.blocksSampled = source.varint();
  totals.accessRecords = source.varint();
  return source.ok();
}

} // namespace relayout::trace
