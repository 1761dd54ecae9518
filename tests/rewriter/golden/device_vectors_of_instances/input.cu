// A function template whose vectors hold instances of a class template.
#include <cstdio>
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

template <class Real> struct Loan {
  Real rate, exposure;
  int sector;
};

template <class Real> __global__ void accrue(Loan<Real> *loans, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    loans[i].exposure += loans[i].exposure * loans[i].rate;
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

int main() {
  std::printf("%g\n", simulate<double>(80, 3));
}
