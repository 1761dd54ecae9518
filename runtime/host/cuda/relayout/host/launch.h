// SPDX-License-Identifier: Apache-2.0
// How a lowered program launches kernels and reaches dynamic shared memory.
#pragma once

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "relayout/host/float_to_integer.h"
#include "relayout/host/shifts.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#if __has_include(<bits/std_function.h>) // <functional> declares std::count as well
#include <bits/std_function.h>
#else
#include <functional>
#endif

/// Before the call of a function that is compiled where it is called, however long it is.
#if defined(__clang__) && __clang_major__ >= 15
#define RELAYOUT_IN_PLACE [[clang::always_inline]]
#else
#define RELAYOUT_IN_PLACE
#endif

namespace relayout::host {

/// What stood between <<< and >>>.
struct LaunchShape {
  dim3 grid, block;
  std::size_t sharedBytes = 0;
  cudaStream_t stream = nullptr;

  LaunchShape(dim3 gridBlocks, dim3 blockThreads) : grid(gridBlocks), block(blockThreads) {}
  /// Any integer type: programs write `n * sizeof(float)` and `int` alike.
  template <class Bytes>
  LaunchShape(dim3 gridBlocks, dim3 blockThreads, Bytes shared, cudaStream_t onStream = nullptr)
      : grid(gridBlocks), block(blockThreads), sharedBytes(static_cast<std::size_t>(shared)),
        stream(onStream) {}
};

/// Loop: the kernel never synchronises inside a block, so its threads may run one after another.
enum class Threads { Loop, Fibers };

namespace detail {

struct KernelCall {
  const char *name;
  Threads threads;
  LaunchShape shape;
  const void *function;
  void *call = nullptr;                    ///< what the two below are given
  void (*runThread)(void *call) = nullptr; ///< runs the kernel for the thread threadIdx names
  /// For all threads, one after another, of so many blocks: blockIdx names the first, and the
  /// others follow it along x. Each row of threads runs through all of them, as the elements lie
  /// that adjacent blocks mostly access.
  void (*runBlocks)(void *call, unsigned blocks) = nullptr;
  bool isKernel = true; ///< or `function` only calls the kernel, whose address is not known
  bool isCooperative = false;
};
cudaError_t launch(const KernelCall &call);

/// True where work on the stream becomes part of a graph instead of being done.
bool isCaptured(cudaStream_t stream);
/// Adds work to that graph; each launch of the graph does it once.
void capture(cudaStream_t stream, std::function<void()> work);

/// True where a launch is not made at once: it becomes part of a graph, or a kernel makes it, and
/// then it is made when that kernel's grid has ended.
bool isDeferred(cudaStream_t stream);
void defer(cudaStream_t stream, std::function<void()> work);

template <class T> struct Exactly { using Type = T; };

template <class... P> auto pointerTo(void (*kernel)(P...)) -> void (*)(P...);

template <class Run> void forEachThread(unsigned blocks, const Run &run) {
  const dim3 size = ::blockDim;
  const unsigned first = ::blockIdx.x;
  for (unsigned z = 0; z < size.z; ++z)
    for (unsigned y = 0; y < size.y; ++y)
      for (unsigned block = 0; block < blocks; ++block) {
        ::blockIdx.x = first + block;
        for (unsigned x = 0; x < size.x; ++x) {
          // One by one: a compiler keeps a member in a register, and vectorises, where it may.
          ::threadIdx.x = x;
          ::threadIdx.y = y;
          ::threadIdx.z = z;
          RELAYOUT_IN_PLACE run();
        }
      }
}

/// A parameter on its way into another: moved, or copied where its class may only be copied.
template <class P> decltype(auto) handOn(std::remove_reference_t<P> &parameter) {
  if constexpr (std::is_constructible_v<P, P &&>)
    return static_cast<P &&>(parameter);
  else
    return std::as_const(parameter);
}

/// Parameters that are kept: copied, as some classes may only be.
template <class... P> struct KeptParameters {
  explicit KeptParameters(std::remove_reference_t<P> &...parameters)
      : values(handOn<P>(parameters)...) {}
  KeptParameters(const KeptParameters &) = default;

  std::tuple<P...> values;
};

/// Launches what `kernel` calls. Its type tells the compiler which function that is, where the
/// launch names one: then the kernel is compiled into the loop over its threads.
template <class Kernel, class... P>
cudaError_t launch(KernelCall shape, Kernel kernel, P... arguments) {
  struct Call {
    Kernel kernel;
    std::tuple<P...> arguments;
    void run() { std::apply(kernel, arguments); }
  };
  if (isDeferred(shape.shape.stream)) {
    defer(shape.shape.stream, [shape, kernel, kept = KeptParameters<P...>(arguments...)]() mutable {
      KernelCall again = shape;
      again.shape.stream = nullptr;
      std::apply([&](auto &...values) { launch<Kernel, P...>(again, kernel, values...); },
                 kept.values);
    });
    return cudaSuccess;
  }
  Call call{kernel, std::tuple<P...>(handOn<P>(arguments)...)};
  shape.runThread = [](void *untyped) { static_cast<Call *>(untyped)->run(); };
  shape.runBlocks = [](void *untyped, unsigned blocks) {
    const Call &call = *static_cast<Call *>(untyped);
    // As parameters: the compiler sees who else has their addresses.
    std::apply(
        [blocks, kernel = call.kernel](P... values) {
          RELAYOUT_IN_PLACE forEachThread(blocks, [&] { RELAYOUT_IN_PLACE kernel(values...); });
        },
        call.arguments);
  };
  shape.call = &call;
  return launch(shape);
}

} // namespace detail

/// A function that the launch names, as a type.
template <class Pointer, Pointer F> struct NamedKernel {
  template <class... P> void operator()(P &&...arguments) const {
    RELAYOUT_IN_PLACE F(std::forward<P>(arguments)...);
  }
};
/// A kernel that the launch names; its type is without `noexcept`.
template <auto F> using Kernel = NamedKernel<decltype(detail::pointerTo(F)), F>;

/// Says which kernel an address is, for launches through pointers.
struct PointedKernel {
  template <class... P>
  PointedKernel(void (*kernel)(P...), const char *name, Threads threads)
      : PointedKernel(reinterpret_cast<const void *>(kernel), name, threads) {}

private:
  PointedKernel(const void *kernel, const char *name, Threads threads);
};

/// Runs the kernel. Arguments convert to the parameters' types once, as in a call, and every
/// thread gets its own copy. Errors in the shape are what cudaGetLastError() returns.
template <class... P, void (*F)(P...)>
void launch(const char *name, Threads threads, LaunchShape shape,
            NamedKernel<void (*)(P...), F> kernel, typename detail::Exactly<P>::Type... arguments) {
  detail::launch<decltype(kernel), P...>({name, threads, shape, reinterpret_cast<const void *>(F)},
                                         kernel, detail::handOn<P>(arguments)...);
}

/// The same of a kernel that a pointer names.
template <class... P>
void launch(const char *name, Threads threads, LaunchShape shape, void (*kernel)(P...),
            typename detail::Exactly<P>::Type... arguments) {
  detail::launch<void (*)(P...), P...>(
      {name, threads, shape, reinterpret_cast<const void *>(kernel)}, kernel,
      detail::handOn<P>(arguments)...);
}

/// The same of a function object that calls the kernel: where only the arguments tell which
/// instance of a template is meant.
template <class Caller, class... P>
void launchThrough(const char *name, Threads threads, LaunchShape shape, Caller caller,
                   P... arguments) {
  detail::KernelCall call{name, threads, shape, &caller};
  call.isKernel = false;
  detail::launch<Caller, P...>(call, caller, detail::handOn<P>(arguments)...);
}

/// What cudaLaunchKernel and cudaLaunchCooperativeKernel become: the kernel's type says how to read
/// the arguments.
enum class Grid { Plain, Cooperative };
template <class... P, std::size_t... I>
cudaError_t launchByPointers(const detail::KernelCall &shape, void (*function)(P...),
                             void **arguments, std::index_sequence<I...>) {
  struct Call {
    void (*function)(P...);
    void **arguments;
    void run() { function(*static_cast<std::remove_reference_t<P> *>(arguments[I])...); }
  } call{function, arguments};
  detail::KernelCall kernel = shape;
  kernel.function = reinterpret_cast<const void *>(function);
  if (detail::isDeferred(shape.shape.stream))
    return detail::launch<void (*)(P...), P...>(
        kernel, function, *static_cast<std::remove_reference_t<P> *>(arguments[I])...);
  kernel.call = &call;
  kernel.runThread = [](void *untyped) { static_cast<Call *>(untyped)->run(); };
  kernel.runBlocks = [](void *untyped, unsigned blocks) {
    detail::forEachThread(blocks, [self = static_cast<Call *>(untyped)] { self->run(); });
  };
  return detail::launch(kernel);
}
template <class... P>
cudaError_t launchByPointers(const char *kernel, Threads threads, Grid grid, void (*function)(P...),
                             dim3 blocks, dim3 blockThreads, void **arguments,
                             std::size_t sharedBytes = 0, cudaStream_t stream = nullptr) {
  detail::KernelCall call{kernel, threads, LaunchShape(blocks, blockThreads, sharedBytes, stream),
                          nullptr};
  call.isCooperative = grid == Grid::Cooperative;
  return launchByPointers(call, function, arguments, std::index_sequence_for<P...>());
}

namespace detail {
/// As far as the executor has what it asks for: all blocks of a grid at once.
inline KernelCall configured(const char *kernel, Threads threads,
                             const cudaLaunchConfig_t &configuration, const void *function) {
  KernelCall call{kernel, threads,
                  LaunchShape(configuration.gridDim, configuration.blockDim,
                              configuration.dynamicSmemBytes, configuration.stream),
                  function};
  for (unsigned i = 0; i < configuration.numAttrs; ++i)
    call.isCooperative |= configuration.attrs[i].id == cudaLaunchAttributeCooperative &&
                          configuration.attrs[i].val.cooperative != 0;
  return call;
}
} // namespace detail

/// What cudaLaunchKernelEx becomes.
template <class... P, class... A>
cudaError_t launchConfigured(const char *name, Threads threads,
                             const cudaLaunchConfig_t *configuration, void (*kernel)(P...),
                             A &&...arguments) {
  return detail::launch<void (*)(P...), P...>(
      detail::configured(name, threads, *configuration, reinterpret_cast<const void *>(kernel)),
      kernel, static_cast<P>(std::forward<A>(arguments))...);
}

/// What cudaLaunchKernelExC becomes.
template <class... P>
cudaError_t launchByPointers(const char *name, Threads threads,
                             const cudaLaunchConfig_t *configuration, void (*function)(P...),
                             void **arguments) {
  return launchByPointers(detail::configured(name, threads, *configuration, nullptr), function,
                          arguments, std::index_sequence_for<P...>());
}

namespace detail {
/// Lets the other threads of the block run until they wait, too; outside kernels nothing.
void keepStep();
} // namespace detail

/// Around what a kernel reads from volatile memory: code from before __syncwarp() relies on all
/// lanes of a warp having read before one goes on.
template <class T> inline T afterVolatileLoad(T value) {
  detail::keepStep();
  return value;
}

/// Around a store to volatile memory, which names the object.
template <class T> inline T &afterVolatileStore(T &object) {
  detail::keepStep();
  return object;
}

/// Around what a kernel stores to shared memory with no barrier since threads read there: all have
/// read before one goes on, as where warps are about equally far.
template <class T> inline T beforeSharedStore(T value) {
  detail::keepStep();
  return value;
}

/// The same around what `++` or `--` changes there.
template <class T> inline T &beforeSharedStep(T &variable) {
  detail::keepStep();
  return variable;
}

/// The block's dynamic shared memory, aligned to 128 bytes.
void *dynamicShared();
/// `malloc` in device code: zeros, with some more behind them, as neither what lies behind memory
/// of a GPU's heap nor a few bytes written there end a program.
void *mallocInKernel(size_t bytes);
/// `free` in device code. A GPU's passes over what its own `malloc` did not give.
void freeInKernel(void *memory);
/// `new (kInKernel) T`, for `new T` in device code, is to mallocInKernel() what `new` is to
/// `malloc`.
struct InKernel {};
inline constexpr InKernel kInKernel;

/// Stands for `template <class T> extern __shared__ T name[];`.
template <class T> class DynamicShared {
public:
  operator T *() const { return static_cast<T *>(dynamicShared()); }
  template <class U> explicit operator U *() const { return (U *)dynamicShared(); }
  template <class I> T &operator[](I index) const {
    return static_cast<T *>(dynamicShared())[index];
  }
  T &operator*() const { return *static_cast<T *>(dynamicShared()); }
  T *operator->() const { return static_cast<T *>(dynamicShared()); }
};

/// Where the padding of a record is: offset and length of each span.
using PaddingSpans = std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>;

/// Says of this thread's next copy call where it stands, and which bytes of the records it
/// carries are padding, so that its digest leaves them out.
void noteCopy(const char *place, std::uint32_t recordBytes, PaddingSpans padding);

/// What noteCopy() says is of device memory that is copied to the host without a copy call, as
/// Thrust does on the CPU.
void noteCopiedBack(const void *from, std::size_t bytes);

/// Of a Thrust vector, before its elements are copied.
template <class Vector>
auto copiedBack(Vector &&vector) -> decltype(vector.size(), std::forward<Vector>(vector)) {
  noteCopiedBack(vector.data().get(),
                 vector.size() * sizeof(typename std::decay_t<Vector>::value_type));
  return std::forward<Vector>(vector);
}
template <class Vector> Vector *copiedBack(Vector *vector) { return &copiedBack(*vector); }
/// Of one element.
template <class Element>
auto copiedBack(Element element) -> decltype((&element).get(), Element(element)) {
  noteCopiedBack((&element).get(), sizeof(typename Element::value_type));
  return element;
}

/// Of a part of a vector: an iterator of its first element, and one behind its last.
template <class Iterator> Iterator copiedBack(Iterator first, Iterator last) {
  if (first != last)
    noteCopiedBack((&*first).get(), (last - first) * sizeof(typename Iterator::value_type));
  return first;
}

/// Says of this thread's next allocation, in memory that the host reaches, where it stands and what
/// its records are, so that its states are compared.
void noteShared(const char *place, std::uint32_t recordBytes, PaddingSpans padding);
/// Takes that back, behind a function that made the allocation, or none.
void dropSharedNote();
template <class Result> Result withoutSharedNote(Result result) {
  dropSharedNote();
  return result;
}

namespace detail {

struct SharedRecords {
  const char *place;
  std::uint32_t recordBytes;
  PaddingSpans padding;
  std::size_t count;
};
void addView(const SharedRecords &records, const void *allocation, const void *view,
             std::size_t viewBytes, void (*element)(const void *view, std::size_t i, void *to));

} // namespace detail

/// The same of an array in another layout, of which a view reads the records.
/// \param element  copies record i of the view
template <class View>
View noteView(const char *place, std::uint32_t recordBytes, PaddingSpans padding, View view,
              std::size_t count, const void *allocation,
              void (*element)(const void *view, std::size_t i, void *to)) {
  detail::addView({place, recordBytes, padding, count}, allocation, &view, sizeof view, element);
  return view;
}

/// An expression, or the digits of a constant, its value, and the digit of the array's subscripts
/// whose extent it is, as trace::Extent counts them.
struct NotedExtent {
  const char *text;
  unsigned long long value;
  unsigned digit;
};
using NotedExtents = std::initializer_list<NotedExtent>;

/// Says of this thread's next allocation which array group it is for, by its number in the site
/// table, 0xffffffff where that is not known; and what the program knows of its extents.
/// \param factors  those that lead to factors of the array's subscripts, the nearest first
void noteAllocation(unsigned group, NotedExtents factors, NotedExtents others);

/// The same of an array that the program declares in device memory.
void noteVariable(unsigned group);

/// Memory for an array that the program declares in device memory: it lies among what is allocated,
/// so that accesses to it are recorded.
template <class Reference> Reference staticArray(unsigned group) {
  using Array = std::remove_reference_t<Reference>;
  void *memory = nullptr;
  noteVariable(group);
  if (cudaMalloc(&memory, sizeof(Array)) != cudaSuccess)
    __builtin_abort();
  return *static_cast<Array *>(memory);
}

/// In a template: the group whose elements have so many bytes; 0xffffffff where none has.
struct GroupOfBytes {
  size_t bytes;
  unsigned group;
};
inline unsigned groupOfBytes(size_t bytes, std::initializer_list<GroupOfBytes> groups) {
  for (const GroupOfBytes &known : groups)
    if (known.bytes == bytes)
      return known.group;
  return 0xffffffffu;
}

/// As long as this lives, in the call of a function that allocates: what the caller knows.
class CallersExtents {
public:
  explicit CallersExtents(NotedExtents factors);
  ~CallersExtents();
  CallersExtents(const CallersExtents &) = delete;
  CallersExtents &operator=(const CallersExtents &) = delete;
};

} // namespace relayout::host

inline void *operator new(size_t bytes, relayout::host::InKernel) noexcept {
  return relayout::host::mallocInKernel(bytes);
}
inline void *operator new[](size_t bytes, relayout::host::InKernel) noexcept {
  return relayout::host::mallocInKernel(bytes);
}
