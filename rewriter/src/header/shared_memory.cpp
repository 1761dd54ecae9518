// SPDX-License-Identifier: Apache-2.0
// What the headers of all records of a program share: where planes lie, staging memory, and the
// launch of conversions.
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
     R"(/// Tiles in which elements go between the order of their numbers and a view's: `kColumns` that are
/// adjacent by number, of as many lines, adjacent in the view, as give each of 256 threads `kEach`.
template <unsigned kColumns, unsigned kEach>
class Tiles {
  static constexpr unsigned kThreads = 256, kLines = kThreads * kEach / kColumns;

public:
  /// Shared memory for a tile, of which no element is constructed.
  template <class T>
  struct Memory {
    alignas(T) unsigned char bytes[kLines * (kColumns + 1) * sizeof(T)];
  };
  /// One of a thread's elements.
  struct Element {
    unsigned k;            // of the thread's
    unsigned line, column; // in the tile
    unsigned number;       // in the array
    unsigned place;        // in shared memory
  };

  /// \param width   elements that are adjacent by number
  /// \param stride  from a line's elements to those of the next line
  /// \param rows    lines that are adjacent in the view
  __device__ Tiles(std::size_t width, std::size_t stride, std::size_t rows, std::size_t count)
      : width_(unsigned(width)), stride_(unsigned(stride)), rows_(unsigned(rows)),
        end_(unsigned(count)), columns_(width_ < kColumns ? width_ : kColumns),
        pitch_(columns_ | 1), next_(blockIdx.x) {
    const unsigned most = kThreads * kEach / columns_, room = kLines * (kColumns + 1) / pitch_;
    lines_ = (most < room ? most : room) / 32 * 32;
  }

  /// Goes on to the block's next tile, if there is one.
  __device__ bool next() {
    const unsigned across = (width_ + columns_ - 1) / columns_, parts = stride_ / width_;
    const unsigned down = (rows_ + lines_ - 1) / lines_, area = stride_ * rows_;
    const unsigned column = next_ % across, above = next_ / across;
    const unsigned line = above % down, part = above / down;
    left_ = column * columns_;
    top_ = line * lines_;
    first_ = part / parts * area + part % parts * width_ + top_ * stride_ + left_;
    if (part / parts >= (end_ + area - 1) / area)
      return false;
    isWhole_ = columns_ == kColumns && left_ + kColumns <= width_ && top_ + kLines <= rows_ &&
               first_ + (kLines - 1) * stride_ + kColumns <= end_;
    next_ += gridDim.x;
    __syncthreads(); // the tile before is done
    return true;
  }
  /// The number of the tile's first element.
  __device__ unsigned first() const { return first_; }

  /// Calls `visit` with the thread's elements: lanes stand side by side by number.
  template <class Visit>
  __device__ void byNumber(Visit visit) const {
    walk<kColumns>(columns_, [&](unsigned k, unsigned column, unsigned line) {
      at(k, line, column, visit);
    });
  }
  /// The same, and lanes stand side by side in the view.
  template <class Visit>
  __device__ void byPlace(Visit visit) const {
    walk<kLines>(lines_, [&](unsigned k, unsigned line, unsigned column) {
      at(k, line, column, visit);
    });
  }

private:
  /// \param kFast  how many of the index that goes with the lanes a whole tile has
  /// \param fast   how many this one has
  template <unsigned kFast, class Call>
  __device__ void walk(unsigned fast, Call call) const {
    if (isWhole_) {
#pragma unroll
      for (unsigned k = 0; k < kEach; ++k)
        call(k, threadIdx.x % kFast, threadIdx.x / kFast + k * (kThreads / kFast));
      return;
    }
    unsigned lane = threadIdx.x % fast, row = threadIdx.x / fast;
    const unsigned lanes = kThreads % fast, rows = kThreads / fast;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      call(k, lane, row);
      lane += lanes;
      row += rows;
      if (lane >= fast) {
        lane -= fast;
        ++row;
      }
    }
  }
  template <class Visit>
  __device__ void at(unsigned k, unsigned line, unsigned column, Visit visit) const {
    const unsigned number = first_ + line * stride_ + column;
    if (isWhole_ || (line < lines_ && column < columns_ && top_ + line < rows_ &&
                     left_ + column < width_ && number < end_))
      visit(Element{k, line, column, number, line * pitch_ + column});
  }

  unsigned width_, stride_, rows_, end_;
  unsigned columns_, pitch_, lines_; // of a tile, as the array's width allows
  unsigned next_;
  unsigned left_, top_, first_; // of the tile at hand
  bool isWhole_;                // all of the tile at hand is in the array
};

/// Blocks that walk `count` elements in tiles: so many that there is enough to do.
inline unsigned tileBlocks(std::size_t count) {
  const std::size_t blocks = (count + 1023) / 1024;
  return unsigned(blocks < 4096 ? blocks : 4096);
}
)"},
    {"::convert(staging", "::convert(", For::CudaUnits,
     R"(template <class Record, class View>
__device__ void convertElement(Record *to, const View &from, std::size_t i) {
  to[i] = from.load(i);
}
)"},
    {"::convert(to, staging", "::convert(", For::CudaUnits,
     R"(template <class View, class Record>
__device__ void convertElement(const View &to, Record *from, std::size_t i) {
  to.store(i, from[i]);
}
)"},
    {"::convert(to, from", "::convert(", For::CudaUnits,
     R"(template <class To, class From>
__device__ void convertElement(const To &to, const From &from, std::size_t i) {
  to.store(i, from.load(i));
}
)"},
    {"::convert(", nullptr, For::CudaUnits,
     R"(template <class To, class From>
static __global__ void convertElements(To to, From from, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    convertElement(to, from, i);
}

/// Converts elements between records and views; returns the launch's own error.
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
  const std::pair<std::string_view, const char *> words[] = {
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
