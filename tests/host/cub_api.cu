// SPDX-License-Identifier: Apache-2.0
// Uses most of what the executor's headers have of CUB. Parsed as CUDA by a test, never run.
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

struct Add {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a + b;
  }
};
struct Minus {
  __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
struct Increment {
  __host__ __device__ void operator()(int &x) const { ++x; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Before {
  __device__ int operator()(int sum) { return sum; }
};

__global__ void blocks(int *p) {
  using Load = cub::BlockLoad<int, 16, 3, cub::BLOCK_LOAD_TRANSPOSE, 4>;
  using Store = cub::BlockStore<int, 16, 3, cub::BLOCK_STORE_STRIPED, 4>;
  using Reduce = cub::BlockReduce<int, 16, cub::BLOCK_REDUCE_RAKING, 4>;
  using Scan = cub::BlockScan<int, 16, cub::BLOCK_SCAN_WARP_SCANS, 4>;
  using Radix = cub::BlockRadixSort<int, 64, 3, int>;
  using Merge = cub::BlockMergeSort<int, 64, 3>;
  using Exchange = cub::BlockExchange<int, 64, 3>;
  using Shuffle = cub::BlockShuffle<int, 64>;
  using Histogram = cub::BlockHistogram<int, 64, 3, 16>;
  using Decode = cub::BlockRunLengthDecode<int, 64, 3, 2>;
  using Difference = cub::BlockAdjacentDifference<int, 64>;
  using Discontinuity = cub::BlockDiscontinuity<int, 64>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Radix::TempStorage radix;
    typename Merge::TempStorage merge;
    typename Exchange::TempStorage exchange;
    typename Shuffle::TempStorage shuffle;
    typename Histogram::TempStorage histogram;
    typename Decode::TempStorage decode;
    typename Difference::TempStorage difference;
    typename Discontinuity::TempStorage discontinuity;
  } shared;
  __shared__ int bins[16];
  int items[3], others[3], total = 0;
  Before before;
  Load(shared.load).Load(p, items, 100, 0);
  Reduce(shared.reduce).Sum(items);
  Reduce().Reduce(items[0], Add(), 10);
  Scan(shared.scan).ExclusiveSum(items, items, before);
  Scan(shared.scan).InclusiveScan(items[0], others[0], Add(), total);
  Radix(shared.radix).SortBlockedToStriped(items, others);
  Merge(shared.merge).Sort(items, Less(), 100, 5);
  Exchange(shared.exchange).ScatterToStripedGuarded(items, others);
  Shuffle(shared.shuffle).Up(items, others, total);
  Histogram(shared.histogram).Histogram(items, bins);
  Decode(shared.decode, items, others, total).RunLengthDecode(reinterpret_cast<int(&)[2]>(items));
  Difference(shared.difference).SubtractLeft(items, others, Minus(), 3);
  Discontinuity(shared.discontinuity).FlagHeadsAndTails(items, others, items, Less());
  Store(shared.store).Store(p, items, 100);
}

__global__ void warps(int *p) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  using Merge = cub::WarpMergeSort<int, 2, 8>;
  using Exchange = cub::WarpExchange<int, 2>;
  using Load = cub::WarpLoad<int, 2>;
  using Store = cub::WarpStore<int, 2, cub::WARP_STORE_STRIPED>;
  __shared__ typename Reduce::TempStorage reduce;
  __shared__ typename Scan::TempStorage scan;
  __shared__ typename Merge::TempStorage merge;
  __shared__ typename Exchange::TempStorage exchange;
  int items[2];
  Load().Load(p, items);
  items[0] = Reduce(reduce).HeadSegmentedSum(items[0], threadIdx.x % 3);
  Scan(scan).Scan(items[0], items[0], items[1], 0, Add());
  Merge(merge).StableSort(items, Less());
  Exchange(exchange).BlockedToStriped(items, items);
  items[0] = cub::ShuffleUp<32>(items[0], 1, 0, ~0u) + cub::ThreadLoad<cub::LOAD_LDG>(p);
  Store().Store(p, items);
}

void arrays(int *p, void *storage, size_t bytes, cudaStream_t stream) {
  cub::CachingDeviceAllocator allocator(true);
  CubDebugExit(allocator.DeviceAllocate(&storage, bytes, stream));
  cub::DoubleBuffer<int> two(p, p + 50);
  cub::DeviceReduce::Sum(storage, bytes, p, p, 9, stream);
  cub::DeviceReduce::ReduceByKey(storage, bytes, p, p, p, p, p, Add(), 9, stream);
  cub::DeviceScan::ExclusiveScan(storage, bytes, p, p, Add(), 0, 9u, stream);
  cub::DeviceScan::InclusiveSumByKey(storage, bytes, p, p, p, 9ull);
  cub::DeviceSelect::If(storage, bytes, p, p, p, 9, IsOdd(), stream);
  cub::DevicePartition::If(storage, bytes, p, p, p, p, p, 9, IsOdd(), IsOdd());
  cub::DeviceRunLengthEncode::Encode(storage, bytes, p, p, p, p, 9);
  cub::DeviceHistogram::HistogramEven(storage, bytes, p, p, 9, 0, 8, 100);
  cub::DeviceRadixSort::SortPairs(storage, bytes, two, two, 9, 0, 8, stream);
  cub::DeviceSegmentedRadixSort::SortKeys(storage, bytes, p, p, 9, 3, p, p + 1);
  cub::DeviceSegmentedSort::StableSortPairs(storage, bytes, p, p, p, p, 9, 3, p, p + 1);
  cub::DeviceSegmentedReduce::ArgMax(storage, bytes, p,
                                     static_cast<cub::KeyValuePair<int, int> *>(storage), 9, p, p);
  cub::DeviceMergeSort::SortKeys(storage, bytes, p, 9, Less());
  cub::DeviceMerge::MergeKeys(storage, bytes, p, 3, p, 3, p);
  cub::DeviceAdjacentDifference::SubtractLeft(storage, bytes, p, 9);
  cub::DeviceFor::ForEachN(p, 9, Increment());
  cub::DeviceTransform::Transform(p, p, 9, IsOdd());
}

int main() {
  blocks<<<1, dim3(16, 4)>>>(nullptr);
  warps<<<1, 32>>>(nullptr);
  arrays(nullptr, nullptr, 0, nullptr);
}
