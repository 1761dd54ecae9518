// A function template whose vectors hold instances of a class template.
#include <cstdio>
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

template <class Real> struct Loan {
  Real rate, exposure;
  int sector;
};
#include "loan_double_layout.h"

template <class Real> __global__ void accrue(Loan<Real> *loans, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    loans[i].exposure += loans[i].exposure * loans[i].rate;
}

__global__ void accrue(LoanDoubleView loans, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    loans.exposure(i) += loans.exposure(i) * loans.rate(i);
}

template <class Real> Real simulate(int n, int years) {
  thrust::host_vector<Loan<Real>> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {Real(0.01) * (i % 5), Real(100 + i), i % 3};
  thrust::device_vector<Loan<Real>> loans = host;
  for (int year = 0; year < years; ++year)
    accrue<<<(n + 31) / 32, 32>>>(thrust::raw_pointer_cast(loans.data()), n);
  host = loans;
  Real sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].exposure;
  return sum;
}

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Loan<double>>.
class LoanDoubleDeviceVector {
public:
  LoanDoubleDeviceVector() = default;
  LoanDoubleDeviceVector(const thrust::host_vector<Loan<double>> &host) : LoanDoubleDeviceVector() {
    *this = host;
  }
  LoanDoubleDeviceVector(const LoanDoubleDeviceVector &) = delete;
  LoanDoubleDeviceVector(LoanDoubleDeviceVector &&other) noexcept { swap(other); }
  ~LoanDoubleDeviceVector() { loanDoubleFree(elements_); }

  LoanDoubleDeviceVector &operator=(const LoanDoubleDeviceVector &) = delete;
  LoanDoubleDeviceVector &operator=(LoanDoubleDeviceVector &&other) noexcept {
    LoanDoubleDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  LoanDoubleDeviceVector &operator=(const thrust::host_vector<Loan<double>> &host) {
    assign(host.data(), host.data() + host.size());
    return *this;
  }
  void assign(const Loan<double> *begin, const Loan<double> *end) {
    makeRoom(static_cast<std::size_t>(end - begin));
    check(loanDoubleMemcpy(elements_, begin, size_ * sizeof(Loan<double>), cudaMemcpyHostToDevice));
  }

  void copyTo(thrust::host_vector<Loan<double>> &host) const {
    host.resize(size_);
    copyTo(host.data());
  }
  void copyTo(Loan<double> *host) const {
    check(loanDoubleMemcpy(host, elements_, size_ * sizeof(Loan<double>), cudaMemcpyDeviceToHost));
  }

  LoanDoubleView data() { return elements_; }

  std::size_t size() const { return size_; }
  void swap(LoanDoubleDeviceVector &other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(status));
  }
  /// Keeps no elements.
  void makeRoom(std::size_t size) {
    if (size > capacity_) {
      LoanDoubleDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (loanDoubleMalloc(&elements_, capacity * sizeof(Loan<double>)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  LoanDoubleView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

template <> inline double simulate<double>(int n, int years) {
  thrust::host_vector<Loan<double>> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {double(0.01) * (i % 5), double(100 + i), i % 3};
  LoanDoubleDeviceVector loans = host;
  for (int year = 0; year < years; ++year)
    accrue<<<(n + 31) / 32, 32>>>(loans.data(), n);
  loans.copyTo(host);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].exposure;
  return sum;
}

int main() {
  std::printf("%g\n", simulate<double>(80, 3));
}
