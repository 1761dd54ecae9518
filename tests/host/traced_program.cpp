// SPDX-License-Identifier: Apache-2.0
// A hand-lowered program that the trace session's tests run as a process of its own.
#include "relayout/trace/site_table.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using relayout::host::launch;
using relayout::host::Threads;
using relayout::probe::LoopScope;
using relayout::probe::read;
using relayout::probe::write;

std::string siteTable() {
  relayout::trace::SiteTable table;
  table.sourceFile = "traced_program.cu";
  for (const std::uint32_t id : {2u, 3u, 4u}) {
    relayout::trace::Site site;
    site.id = id;
    site.kind = id == 2 ? relayout::trace::AccessKind::Read : relayout::trace::AccessKind::Write;
    site.bytes = id == 4 ? 1 : 4;
    table.sites.push_back(site);
  }
  return toJson(table);
}
relayout::probe::Registration registration(siteTable().c_str());

struct Record {
  int value;
  char flag;
};

/// Every warp of the block, and every block, does something else.
void uneven(Record *p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n)
    return;
  for (LoopScope loop(1u); loop.once();)
    for (int k = 0; (loop.next(), k < static_cast<int>(blockIdx.x + threadIdx.x / 8) % 7); ++k)
      read(2u, p[(i + k) % n].value);
  __syncthreads();
  if (i % 3 == 0)
    write(3u, p[i].value) = i;
}

void flags(Record *p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    write(4u, p[i].flag) = static_cast<char>(i);
}

int traced() {
  constexpr int kRecords = 100 * 96 - 5;
  Record *p = nullptr;
  cudaMalloc(&p, kRecords * sizeof(Record));
  for (int repeat = 0; repeat < 3; ++repeat) {
    launch("uneven", Threads::Fibers, {100, 96}, uneven, p, kRecords);
    launch("flags", Threads::Loop, {100, 96}, flags, p, kRecords);
  }
  std::puts("done");
  cudaFree(p);
  return 7;
}

int copies() {
  // Equal values, different padding; then a different value.
  std::vector<Record> records(1000);
  for (const int garbage : {0x11, 0x22, 0x33}) {
    std::memset(static_cast<void *>(records.data()), garbage, records.size() * sizeof(Record));
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].value = static_cast<int>(i);
      records[i].flag = 1;
    }
    if (garbage == 0x33)
      records[999].flag = 2;
    Record *p = nullptr;
    cudaMalloc(&p, records.size() * sizeof(Record));
    cudaMemcpy(p, records.data(), records.size() * sizeof(Record), cudaMemcpyHostToDevice);
    relayout::host::noteCopy("copies.cu:12", sizeof(Record), {{5, 3}});
    cudaMemcpy(records.data(), p, records.size() * sizeof(Record), cudaMemcpyDeviceToHost);
    cudaMemcpy(records.data(), p, records.size() * sizeof(Record), cudaMemcpyDefault);
    cudaFree(p);
  }
  return 0;
}

/// Reads records from two planes.
struct View {
  int *values;
  char *flags;
  Record load(std::ptrdiff_t i) const { return {values[i], flags[i]}; }
};

int shared() {
  constexpr std::size_t kCount = 100;
  Record *records = nullptr;
  relayout::host::noteShared("shared.cu:3", sizeof(Record), {{5, 3}});
  cudaMallocManaged(&records, kCount * sizeof(Record));
  int *values = nullptr;
  cudaMallocManaged(&values, kCount * sizeof(Record)); // no note: of nothing known
  const View view = relayout::host::noteView(
      "shared.cu:3", sizeof(Record), {{5, 3}},
      View{values, reinterpret_cast<char *>(values + kCount)}, kCount, values,
      [](const void *of, std::size_t i, void *to) {
        const Record record = static_cast<const View *>(of)->load(static_cast<std::ptrdiff_t>(i));
        std::memcpy(to, &record, sizeof record);
      });
  for (int step = 0; step < 40; ++step) {
    for (std::size_t i = 0; i < kCount; ++i)
      records[i].value = view.values[i] = static_cast<int>(i) * step;
    std::memset(&records[step].flag + 1, step, 3); // padding
    cudaDeviceSynchronize();
  }
  cudaFree(records);
  view.flags[3] = 1;
  return 0; // the other array is there to the end
}

void slow(Record *p) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000'000'000 + time.tv_nsec;
  };
  if (threadIdx.x == 0)
    for (const auto begin = now(); now() - begin < 1000'000;) {
    }
  write(3u, p[blockIdx.x].value) = 1;
}

/// Never ends.
void endless(Record *p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (LoopScope loop(1u); loop.once();)
    for (;;) {
      loop.next();
      write(4u, p[i].flag) = 1;
    }
}

int withoutEnd() {
  Record *p = nullptr;
  cudaMalloc(&p, 2 * 64 * sizeof(Record));
  launch("endless", Threads::Fibers, {2, 64}, endless, p);
  return 0;
}

/// Takes 4 s of one processor, most of the time in this launch.
int atLength() {
  constexpr int kBlocks = 4000;
  Record *p = nullptr;
  cudaMalloc(&p, kBlocks * sizeof(Record));
  launch("slow", Threads::Loop, {kBlocks, 32}, slow, p);
  launch("slow", Threads::Loop, {kBlocks, 32}, slow, p);
  return 0;
}

/// Waits for what a block computes that a sparse run leaves out.
int results(bool mayWait) {
  constexpr int kBlocks = 96;
  Record *p = nullptr;
  constexpr int kRecords = kBlocks * 96;
  cudaMalloc(&p, kRecords * sizeof(Record));
  for (;;) {
    launch("flags", Threads::Loop, {kBlocks, 96}, flags, p, kRecords);
    Record last{};
    cudaMemcpy(&last, p + kRecords - 1, sizeof last, cudaMemcpyDeviceToHost);
    if (last.flag == static_cast<char>(kRecords - 1))
      return 0;
    if (!mayWait)
      std::abort();
  }
}

} // namespace

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "copies") == 0)
    return copies();
  if (std::strcmp(what, "shared") == 0)
    return shared();
  if (std::strcmp(what, "at length") == 0)
    return atLength();
  if (std::strcmp(what, "without end") == 0)
    return withoutEnd();
  if (std::strcmp(what, "wait") == 0 || std::strcmp(what, "demand") == 0)
    return results(std::strcmp(what, "wait") == 0);
  const int status = traced();
  if (std::strcmp(what, "abort") == 0)
    std::abort();
  if (std::strcmp(what, "_exit") == 0)
    _exit(0);
  if (std::strcmp(what, "exit") == 0)
    std::exit(3);
  return status;
}
