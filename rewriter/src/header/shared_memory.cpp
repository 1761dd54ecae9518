// SPDX-License-Identifier: Apache-2.0
// What the headers of all records of a program share: where planes lie, staging memory, and
// conversions.
#include "header/shared_memory.h"

#include "header/hidden_macros.h"
#include "relayout/rewriter/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace relayout::rewriter {
namespace {

/// Which compilers take a piece.
enum class For : std::uint8_t {
  Any,
  CudaHeaders, ///< those that find CUDA's headers
  CudaUnits    ///< those of CUDA units
};

struct Piece {
  const char *call; ///< what the headers of records have that need it
  const char *uses; ///< the call of another piece, or null
  For compilers;
  const char *text;
};

/// In an order in which each uses those before it.
constexpr Piece kPieces[] = {
    {"::placePlane(", nullptr, For::Any,
     R"(/// Places a plane of `count` elements at an address, which moves to the plane's end.
template <class T>
void placePlane(T *&plane, std::size_t &address, std::size_t count@options@) {
  plane = reinterpret_cast<T *>(address);
  address += (count * sizeof(T) + @spacing@;
}
)"},
    {"::readOnly(", nullptr, For::Any,
     R"(/// An element of a plane that no kernel writes while it reads it: the compiler may load it early.
template <class T, class Index>
__host__ __device__ const T &readOnly(const T *__restrict__ plane, Index i) {
  return plane[i];
}
)"},
    {"::placePlanes(", "::placePlane(", For::Any,
     R"(/// The same of the planes of an array's elements; returns how far they are apart.
template <class T, class... Options>
std::size_t placePlanes(std::size_t planes, T *&first, std::size_t &address, std::size_t count,
                        Options... options) {
  const std::size_t start = address;
  placePlane(first, address, count, options...);
  const std::size_t apart = address - start;
  address += (planes - 1) * apart;
  return apart;
}
)"},
    {"::stage(", nullptr, For::CudaHeaders,
     R"(/// Device memory for records on the way, kept for the next copy; 0 bytes give it back.
inline void *stage(std::size_t bytes, cudaError_t *status) {
  static thread_local void *kept = nullptr;
  static thread_local std::size_t keptBytes = 0;
  static thread_local int keptOn = 0;
  int device = 0;
  *status = cudaGetDevice(&device);
  if (*status == cudaSuccess && (bytes == 0 || bytes > keptBytes || device != keptOn)) {
    *status = cudaFree(kept);
    kept = nullptr;
    if (*status == cudaSuccess && bytes != 0)
      *status = cudaMalloc(&kept, bytes);
    keptBytes = kept ? bytes : 0;
    keptOn = device;
  }
  return kept;
}
)"},
    {"::unstage(", "::stage(", For::CudaHeaders,
     R"(/// Ends a copy: nothing is kept where the program resets devices.
inline cudaError_t unstage(cudaError_t status) {
  cudaError_t freed = cudaSuccess;
  stage(0, &freed);
  return status != cudaSuccess ? status : freed;
}
)"},
    {"::stageAsync(", nullptr, For::CudaHeaders,
     R"(/// Device memory for a copy on a stream, which unstageAsync() ends.
inline void *stageAsync(std::size_t bytes, cudaStream_t stream, cudaError_t *status) {
  void *memory = nullptr;
  *status = cudaMallocAsync(&memory, bytes, stream);
  return memory;
}
inline cudaError_t unstageAsync(void *memory, cudaStream_t stream, cudaError_t status) {
  const cudaError_t freed = memory ? cudaFreeAsync(memory, stream) : cudaSuccess;
  return status != cudaSuccess ? status : freed;
}
)"},
    {"::release(", "::stage(", For::CudaHeaders,
     R"(/// cudaFree of an array, and of the staging memory.
inline cudaError_t release(void *array) {
  cudaError_t status = cudaSuccess;
  stage(0, &status);
  const cudaError_t freed = cudaFree(array);
  return status != cudaSuccess ? status : freed;
}
)"},
    {"::Tiles<", nullptr, For::CudaUnits,
     R"(/// A tile in which elements go between the order of their numbers and a view's: `kColumns` that are
/// adjacent by number, of `kLines` that are adjacent in the view. Each block of 256 threads has one.
template <unsigned kColumns, unsigned kLines>
class Tiles {
  static constexpr unsigned kThreads = 256, kPitch = kColumns | 1;

public:
  /// Elements that a thread has.
  static constexpr unsigned kEach = (kColumns * kLines + kThreads - 1) / kThreads;
  /// Shared memory for a tile, of which no element is constructed.
  template <class T>
  struct Memory {
    alignas(T) unsigned char bytes[kLines * kPitch * sizeof(T)];
  };
  /// One of a thread's elements.
  struct Element {
    unsigned k;            // of the thread's
    unsigned line, column; // in the tile
    unsigned number;       // in the array
    unsigned place;        // in shared memory
  };

  /// Tiles of the first `count` elements; those of an array that is narrower than they have more
  /// lines instead.
  template <class View>
  __host__ __device__ Tiles(const View &view, std::size_t count)
      : width_(unsigned(view.tileWidth())), stride_(unsigned(view.tileStride())),
        rows_(unsigned(view.tileRows())), end_(unsigned(count)), columns_(kColumns),
        lines_(kLines) {
    if (width_ != 0 && width_ < kColumns) {
      columns_ = width_;
      const unsigned most = kThreads * kEach / columns_, room = kLines * kPitch / (columns_ | 1);
      lines_ = (most < room ? most : room) / 32 * 32;
    }
  }

  /// Blocks to launch: as many as there are tiles. None of an array without memory, whose launch
  /// fails.
  unsigned blocks() const {
    if (stride_ * rows_ == 0)
      return 0;
    return across() * down() * (stride_ / width_) * ((end_ - 1) / (stride_ * rows_) + 1);
  }

  /// Takes a tile; returns the number of its first element.
  __device__ unsigned take(unsigned tile) {
    const unsigned above = tile / across(), part = above / down(), parts = stride_ / width_;
    left_ = tile % across() * columns_;
    top_ = above % down() * lines_;
    first_ = part / parts * (stride_ * rows_) + part % parts * width_ + top_ * stride_ + left_;
    isWhole_ = columns_ == kColumns && left_ + kColumns <= width_ && top_ + kLines <= rows_ &&
               first_ + (kLines - 1) * stride_ + kColumns <= end_;
    return first_;
  }

  /// Calls `visit` with the thread's elements: lanes stand side by side by number.
  template <class Visit>
  __device__ void byNumber(Visit visit) const {
    walk<true>(visit);
  }
  /// The same, and lanes stand side by side in the view.
  template <class Visit>
  __device__ void byPlace(Visit visit) const {
    walk<false>(visit);
  }

private:
  __host__ __device__ unsigned across() const { return (width_ + columns_ - 1) / columns_; }
  __host__ __device__ unsigned down() const { return (rows_ + lines_ - 1) / lines_; }

  /// A tile that is all in the array has constants alone, and no tests.
  template <bool kByNumber, class Visit>
  __device__ void walk(Visit visit) const {
    if (isWhole_)
      walkWide<kByNumber>([&](unsigned k, unsigned line, unsigned column) {
        visit(element(k, line, column, kPitch));
      });
    else if (columns_ == kColumns)
      walkWide<kByNumber>([&](unsigned k, unsigned line, unsigned column) {
        if (isInside(line, column))
          visit(element(k, line, column, kPitch));
      });
    else
      walkNarrow<kByNumber>([&](unsigned k, unsigned line, unsigned column) {
        if (isInside(line, column))
          visit(element(k, line, column, columns_ | 1));
      });
  }
  template <bool kByNumber, class Call>
  __device__ void walkWide(Call call) const {
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      const unsigned i = threadIdx.x + k * kThreads;
      if (kColumns * kLines % kThreads == 0 || i < kColumns * kLines)
        call(k, kByNumber ? i / kColumns : i % kLines, kByNumber ? i % kColumns : i / kLines);
    }
  }
  /// The same without a division for each element.
  template <bool kByNumber, class Call>
  __device__ void walkNarrow(Call call) const {
    const unsigned fast = kByNumber ? columns_ : lines_;
    const unsigned lanes = kThreads % fast, rows = kThreads / fast;
    unsigned lane = threadIdx.x % fast, row = threadIdx.x / fast;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      call(k, kByNumber ? row : lane, kByNumber ? lane : row);
      lane += lanes;
      row += rows;
      if (lane >= fast) {
        lane -= fast;
        ++row;
      }
    }
  }
  __device__ Element element(unsigned k, unsigned line, unsigned column, unsigned pitch) const {
    return {k, line, column, first_ + line * stride_ + column, line * pitch + column};
  }
  __device__ bool isInside(unsigned line, unsigned column) const {
    return line < lines_ && column < columns_ && top_ + line < rows_ && left_ + column < width_ &&
           first_ + line * stride_ + column < end_;
  }

  unsigned width_, stride_, rows_, end_; // as the view tells of the array
  unsigned columns_, lines_;             // of a tile
  unsigned left_, top_, first_;          // of the tile taken
  bool isWhole_;                         // it is all in the array
};
)"},
    {"::RecordTile<", nullptr, For::CudaUnits,
     R"(/// What records of an alignment are made of in copies.
template <std::size_t kAlignment> struct WordOf {
  using Type = unsigned;
};
template <> struct WordOf<2> {
  using Type = unsigned short;
};
template <> struct WordOf<1> {
  using Type = unsigned char;
};

/// A block's records in shared memory: a thread has one of its own there, and in the array lanes
/// side by side are at words side by side. Larger records stay in the array.
template <class Record, bool kFits = sizeof(Record) <= @largest@> struct RecordTile {
  using Word = typename WordOf<alignof(Record)>::Type;
  static constexpr unsigned kThreads = sizeof(Record) <= 128 ? 256 : sizeof(Record) <= 512 ? 64 : 32;
  static constexpr unsigned kWords = sizeof(Record) / sizeof(Word);
  static constexpr unsigned kPitch = // odd, by alignment: records begin in different banks
      (sizeof(Record) / alignof(Record) | 1) * (alignof(Record) / sizeof(Word));

  static unsigned blocks(std::size_t count) { return unsigned((count + kThreads - 1) / kThreads); }
  __device__ Record *own(Record *, std::size_t) {
    return reinterpret_cast<Record *>(words + threadIdx.x * kPitch);
  }
  __device__ Record *cleared(Record *array, std::size_t i) {
    for (unsigned w = 0; w < kWords; ++w)
      words[threadIdx.x * kPitch + w] = 0;
    return own(array, i);
  }
  /// The block's records, from `first` on, to an array of `count`.
  __device__ void put(Record *array, std::size_t first, std::size_t count) const {
    __syncthreads();
    Word *to = reinterpret_cast<Word *>(array + first);
    for (unsigned w = threadIdx.x; w < wordsOf(first, count); w += blockDim.x)
      to[w] = words[w / kWords * kPitch + w % kWords];
  }
  __device__ void take(const Record *array, std::size_t first, std::size_t count) {
    const Word *from = reinterpret_cast<const Word *>(array + first);
    for (unsigned w = threadIdx.x; w < wordsOf(first, count); w += blockDim.x)
      words[w / kWords * kPitch + w % kWords] = from[w];
    __syncthreads();
  }

  __device__ static unsigned wordsOf(std::size_t first, std::size_t count) {
    return (count - first < kThreads ? unsigned(count - first) : kThreads) * kWords;
  }
  alignas(Record) Word words[kThreads * kPitch];
};
template <class Record> struct RecordTile<Record, false> {
  static constexpr unsigned kThreads = 256;

  static unsigned blocks(std::size_t count) { return unsigned((count + kThreads - 1) / kThreads); }
  __device__ Record *own(Record *array, std::size_t i) { return array + i; }
  __device__ Record *cleared(Record *array, std::size_t i) { return array + i; }
  __device__ void put(Record *, std::size_t, std::size_t) const {}
  __device__ void take(const Record *, std::size_t, std::size_t) {}
};
)"},
    {"::convert(staging", "::RecordTile<", For::CudaUnits,
     R"(template <class Record, class View>
__device__ void convertElement(Record *to, const View &from, std::size_t i) {
  *to = from.load(i);
}

template <class Record, class View>
static __global__ void convertElements(Record *to, View from, std::size_t count) {
  __shared__ RecordTile<Record> tile;
  const std::size_t first = blockIdx.x * std::size_t(tile.kThreads), i = first + threadIdx.x;
  if (i < count)
    convertElement(tile.own(to, i), from, i);
  tile.put(to, first, count);
}

/// Converts elements of a view to records; returns the launch's own error.
template <class Record, class View>
cudaError_t convert(Record *to, View from, std::size_t count, cudaStream_t stream = 0) {
  using Tile = RecordTile<Record>;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  convertElements<<<Tile::blocks(count), Tile::kThreads, 0, stream>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
)"},
    {"::convert(to, staging", "::RecordTile<", For::CudaUnits,
     R"(template <class View, class Record>
__device__ void convertElement(const View &to, Record *from, std::size_t i) {
  to.store(i, *from);
}

template <class View, class Record>
static __global__ void convertElements(View to, Record *from, std::size_t count) {
  __shared__ RecordTile<Record> tile;
  const std::size_t first = blockIdx.x * std::size_t(tile.kThreads), i = first + threadIdx.x;
  tile.take(from, first, count);
  if (i < count)
    convertElement(to, tile.own(from, i), i);
}

/// Converts records to elements of a view; returns the launch's own error.
template <class View, class Record>
cudaError_t convert(View to, Record *from, std::size_t count, cudaStream_t stream = 0) {
  using Tile = RecordTile<Record>;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  convertElements<<<Tile::blocks(count), Tile::kThreads, 0, stream>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
)"},
    {"::convert(to, from", nullptr, For::CudaUnits,
     R"(template <class To, class From>
__device__ void convertElement(const To &to, const From &from, std::size_t i) {
  to.store(i, from.load(i));
}

template <class To, class From>
static __global__ void convertElements(To to, From from, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    convertElement(to, from, i);
}

/// Converts elements between views; returns the launch's own error.
template <class To, class From>
cudaError_t convert(To to, From from, std::size_t count, cudaStream_t stream = 0) {
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  convertElements<<<unsigned((count + 255) / 256), 256, 0, stream>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
)"},
};

constexpr const char *kHasCuda = "#if __has_include(<cuda_runtime.h>)\n";

bool isCalled(std::string_view call, const std::vector<std::string> &headers) {
  return std::ranges::any_of(
      headers, [&](const std::string &header) { return header.find(call) != std::string::npos; });
}

std::vector<const Piece *> piecesFor(const std::vector<std::string> &headers) {
  std::vector<const Piece *> needed;
  for (const Piece &piece : kPieces)
    if (isCalled(piece.call, headers) || std::ranges::any_of(kPieces, [&](const Piece &user) {
          return user.uses && std::string_view(user.uses) == piece.call &&
                 isCalled(user.call, headers);
        }))
      needed.push_back(&piece);
  return needed;
}

/// \param isSpaced  some planes have other alignments than most, or pads
std::string filled(std::string text, bool isSpaced) {
  const std::pair<std::string_view, std::string> words[] = {
      {"@largest@", fmt::to_string(kLargestInRecordTile)},
      {"@options@", isSpaced ? ", std::size_t alignment = 256, std::size_t pad = 0" : ""},
      {"@spacing@",
       isSpaced ? "pad + alignment - 1) / alignment * alignment" : "255) / 256 * 256"}};
  for (const auto &[word, replacement] : words)
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), replacement);
  return text;
}

/// \param isSpaced  as in filled()
std::string textOf(const std::vector<const Piece *> &needed, bool isSpaced, bool mayLackCuda) {
  std::string text;
  For open = For::Any;
  const auto close = [&] {
    if (open == For::CudaUnits || (open == For::CudaHeaders && mayLackCuda)) {
      text.pop_back(); // of two line ends
      text += open == For::CudaUnits ? "#endif // __CUDACC__\n\n" : "#endif\n\n";
    }
  };
  for (const Piece *piece : needed) {
    if (piece->compilers != open) {
      close();
      open = piece->compilers;
      text += open == For::CudaUnits ? "#ifdef __CUDACC__\n" : mayLackCuda ? kHasCuda : "";
    }
    text += filled(piece->text, isSpaced) + "\n";
  }
  close();
  return text;
}

} // namespace

std::string sharedIncludes(bool mayLackCuda) {
  const std::string cuda = "#include <cuda_runtime.h>\n";
  return "#include <cstddef>\n" + (mayLackCuda ? kHasCuda + cuda + "#endif\n" : cuda);
}

std::string inSharedSpace(std::string text, const std::string &space) {
  const std::string word = std::string(kSharedSpace) + "::", name = space + "::";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += name.size())
    text.replace(at, word.size(), name);
  return text;
}

std::string generateSharedHeader(const std::vector<std::string> &headers,
                                 const HeaderParts &parts) {
  const std::vector<const Piece *> needed = piecesFor(headers);
  if (needed.empty())
    return {};
  const bool usesMacros = parts.mayLackCuda && isCalled("::readOnly(", headers);
  const std::string text = fmt::format(
      "{}; run it again instead of editing.\n"
      "// What the headers of all rewritten records share.\n"
      "#pragma once\n\n{}\n{}namespace {} {{\n\n{}}} // namespace {}\n{}",
      kGeneratedBy, sharedIncludes(parts.mayLackCuda), usesMacros ? kMacrosDefined : "",
      parts.sharedSpace, textOf(needed, isCalled("address, count, ", headers), parts.mayLackCuda),
      parts.sharedSpace, usesMacros ? kMacrosRestored : "");
  return withMacrosHidden(text, parts.macros);
}

} // namespace relayout::rewriter
