// SPDX-License-Identifier: Apache-2.0
// Streams that are captured, and the graphs that come of it.
#include <cuda_runtime.h>

#include <gtest/gtest.h>

namespace relayout::host::test {
namespace {

void add(int *p, int by) { p[threadIdx.x] += by; }

class Graphs : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&memory, 32 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory, 0, 32 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  }
  void TearDown() override {
    cudaStreamDestroy(stream);
    cudaFree(memory);
    cudaGetLastError();
  }
  void addOn(cudaStream_t on, int by) {
    launch("add", Threads::Loop, {1, 32, 0, on}, add, memory, by);
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusInvalidated;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &now), cudaSuccess);
    return now;
  }
  /// Ends the capture, and launches what was captured.
  void launchCaptured(int times) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  }

  int *memory = nullptr;
  cudaStream_t stream = nullptr;
};

TEST_F(Graphs, CapturedWorkIsDoneByEachLaunch) {
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  int seen = -1, by = 5;
  void *arguments[] = {static_cast<void *>(&memory), &by};
  addOn(stream, 2);
  EXPECT_EQ(launchByPointers("add", Threads::Loop, Grid::Plain, add, 1, 32, arguments, 0, stream),
            cudaSuccess);
  by = 1000; // what the launch was given counts
  cudaMemcpyAsync(&seen, memory + 31, sizeof seen, cudaMemcpyDeviceToHost, stream);
  cudaMemsetAsync(memory, 0, sizeof(int), stream);
  EXPECT_EQ(memory[31], 0);
  EXPECT_EQ(seen, -1);
  launchCaptured(3);
  EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  EXPECT_EQ(memory[31], 21);
  EXPECT_EQ(memory[0], 0);
  EXPECT_EQ(seen, 21);
  addOn(stream, 1);
  EXPECT_EQ(memory[31], 22);
}

TEST_F(Graphs, MemoryThatAGraphAllocatesAndFreesIsThereAtEachLaunch) {
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  int *staging = nullptr, seen = -1;
  EXPECT_EQ(cudaMallocAsync(&staging, 32 * sizeof(int), stream), cudaSuccess);
  addOn(stream, 2);
  EXPECT_EQ(cudaMemcpyAsync(staging, memory, 32 * sizeof(int), cudaMemcpyDeviceToDevice, stream),
            cudaSuccess);
  cudaMemcpyAsync(&seen, staging + 31, sizeof seen, cudaMemcpyDeviceToHost, stream);
  EXPECT_EQ(cudaFreeAsync(staging, stream), cudaSuccess);
  launchCaptured(3);
  EXPECT_EQ(seen, 6);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Graphs, AStreamThatWaitsForACapturedOneIsCapturedToo) {
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  addOn(other, 100); // not captured yet
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  addOn(other, 1);
  EXPECT_EQ(memory[0], 100);
  launchCaptured(2);
  EXPECT_EQ(memory[0], 102);
  addOn(other, 1);
  EXPECT_EQ(memory[0], 103);
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}

TEST_F(Graphs, WrongUsesAreErrors) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaGraphLaunch(nullptr, stream), cudaErrorInvalidValue);
}

} // namespace
} // namespace relayout::host::test
