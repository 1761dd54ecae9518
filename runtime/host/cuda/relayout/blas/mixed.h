// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: products of matrices in half precision, and of types chosen by value. Sums
// are formed in single precision at least, and rounded once.
#pragma once

typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
#define CUBLAS_GEMM_DFALT CUBLAS_GEMM_DEFAULT

namespace relayout::host::blas {

/// What is computed in. Programs older than cuBLAS 11 name the type of the numbers instead.
struct Compute {
  cublasComputeType_t type;

  Compute(cublasComputeType_t given) : type(given) {}
  Compute(cudaDataType numbers) : type(CUBLAS_COMPUTE_32F) {
    if (numbers == CUDA_R_16F)
      type = CUBLAS_COMPUTE_16F;
    else if (numbers == CUDA_R_64F || numbers == CUDA_C_64F)
      type = CUBLAS_COMPUTE_64F;
    else if (numbers == CUDA_R_32I)
      type = CUBLAS_COMPUTE_32I;
  }
};

inline int bytesOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_8I:
    return 1;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32F:
  case CUDA_R_32I:
    return 4;
  case CUDA_R_64F:
    return 8;
  default:
    return 0;
  }
}

/// An element of a matrix whose type is known when the program runs.
inline double elementAt(const void *matrix, cudaDataType type, long place) {
  switch (type) {
  case CUDA_R_8I:
    return static_cast<const signed char *>(matrix)[place];
  case CUDA_R_16F:
    return static_cast<const __half *>(matrix)[place].number();
  case CUDA_R_16BF:
    return static_cast<const __nv_bfloat16 *>(matrix)[place].number();
  case CUDA_R_32I:
    return static_cast<const int *>(matrix)[place];
  case CUDA_R_32F:
    return static_cast<const float *>(matrix)[place];
  default:
    return static_cast<const double *>(matrix)[place];
  }
}
inline void setElement(void *matrix, cudaDataType type, long place, double value) {
  switch (type) {
  case CUDA_R_8I:
    static_cast<signed char *>(matrix)[place] = static_cast<signed char>(value);
    break;
  case CUDA_R_16F:
    static_cast<__half *>(matrix)[place] = __half::of(value);
    break;
  case CUDA_R_16BF:
    static_cast<__nv_bfloat16 *>(matrix)[place] = __nv_bfloat16::of(value);
    break;
  case CUDA_R_32I:
    static_cast<int *>(matrix)[place] = static_cast<int>(value);
    break;
  case CUDA_R_32F:
    static_cast<float *>(matrix)[place] = static_cast<float>(value);
    break;
  default:
    static_cast<double *>(matrix)[place] = value;
  }
}

/// A matrix of one of the types, stored by columns.
struct AnyMatrix {
  const void *elements;
  cudaDataType type;
  int rows; ///< between columns
  bool isTransposed;

  double operator()(long row, long column) const {
    return elementAt(elements, type, isTransposed ? column + row * rows : row + column * rows);
  }
};

/// \tparam Sum  what sums and scaled results are formed in
template <class Sum>
cublasStatus_t gemmOf(int m, int n, int k, double alpha, const AnyMatrix &a, const AnyMatrix &b,
                      double beta, void *c, cudaDataType typeOfC, int ldc) {
  if (m < 0 || n < 0 || k < 0 || a.rows < (a.isTransposed ? k : m) ||
      b.rows < (b.isTransposed ? n : k) || ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (bytesOf(a.type) == 0 || bytesOf(b.type) == 0 || bytesOf(typeOfC) == 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (long column = 0; column < n; ++column)
    for (long row = 0; row < m; ++row) {
      Sum sum = 0;
      for (long inner = 0; inner < k; ++inner)
        sum += static_cast<Sum>(a(row, inner)) * static_cast<Sum>(b(inner, column));
      const long place = row + column * ldc;
      Sum result = static_cast<Sum>(alpha) * sum;
      if (beta != 0)
        result += static_cast<Sum>(beta) * static_cast<Sum>(elementAt(c, typeOfC, place));
      setElement(c, typeOfC, place, static_cast<double>(result));
    }
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t gemmAs(cublasComputeType_t compute, int m, int n, int k, const void *alpha,
                             const AnyMatrix &a, const AnyMatrix &b, const void *beta, void *c,
                             cudaDataType typeOfC, int ldc) {
  const auto scale = [&](cudaDataType type) {
    return std::pair(elementAt(alpha, type, 0), elementAt(beta, type, 0));
  };
  switch (compute) {
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC: {
    const auto [first, second] = scale(CUDA_R_16F);
    return gemmOf<float>(m, n, k, first, a, b, second, c, typeOfC, ldc);
  }
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC: {
    const auto [first, second] = scale(CUDA_R_64F);
    return gemmOf<double>(m, n, k, first, a, b, second, c, typeOfC, ldc);
  }
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC: {
    const auto [first, second] = scale(CUDA_R_32I);
    return gemmOf<int>(m, n, k, first, a, b, second, c, typeOfC, ldc);
  }
  default: {
    const auto [first, second] = scale(CUDA_R_32F);
    return gemmOf<float>(m, n, k, first, a, b, second, c, typeOfC, ldc);
  }
  }
}

/// Number `i` of matrices that lie `stride` elements apart.
template <class Pointer>
Pointer ofBatch(Pointer first, cudaDataType type, long long stride, int i) {
  using Byte =
      std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const char, char>;
  return static_cast<Byte *>(first) + i * stride * bytesOf(type);
}

} // namespace relayout::host::blas

inline cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t opA, cublasOperation_t opB, int m,
                           int n, int k, const void *alpha, const void *a, cudaDataType typeOfA,
                           int lda, long long strideA, const void *b, cudaDataType typeOfB, int ldb,
                           long long strideB, const void *beta, void *c, cudaDataType typeOfC,
                           int ldc, long long strideC, int count,
                           relayout::host::blas::Compute compute, cublasGemmAlgo_t) {
  using namespace relayout::host::blas;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = gemmAs(compute.type, m, n, k, alpha,
                    {ofBatch(a, typeOfA, strideA, i), typeOfA, lda, opA != CUBLAS_OP_N},
                    {ofBatch(b, typeOfB, strideB, i), typeOfB, ldb, opB != CUBLAS_OP_N}, beta,
                    ofBatch(c, typeOfC, strideC, i), typeOfC, ldc);
  return status;
}
inline cublasStatus_t
cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
             int k, const void *alpha, const void *a, cudaDataType typeOfA, int lda, const void *b,
             cudaDataType typeOfB, int ldb, const void *beta, void *c, cudaDataType typeOfC,
             int ldc, relayout::host::blas::Compute compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, opA, opB, m, n, k, alpha, a, typeOfA, lda, 0, b,
                                    typeOfB, ldb, 0, beta, c, typeOfC, ldc, 0, 1, compute,
                                    algorithm);
}
inline cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                    int n, int k, const void *alpha, const void *const a[], cudaDataType typeOfA,
                    int lda, const void *const b[], cudaDataType typeOfB, int ldb, const void *beta,
                    void *const c[], cudaDataType typeOfC, int ldc, int count,
                    relayout::host::blas::Compute compute, cublasGemmAlgo_t algorithm) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = cublasGemmEx(handle, opA, opB, m, n, k, alpha, a[i], typeOfA, lda, b[i], typeOfB, ldb,
                          beta, c[i], typeOfC, ldc, compute, algorithm);
  return status;
}
inline cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t opA,
                                  cublasOperation_t opB, int m, int n, int k, const __half *alpha,
                                  const __half *a, int lda, const __half *b, int ldb,
                                  const __half *beta, __half *c, int ldc) {
  return cublasGemmEx(handle, opA, opB, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb,
                      beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
inline cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t opA,
                                                cublasOperation_t opB, int m, int n, int k,
                                                const __half *alpha, const __half *a, int lda,
                                                long long strideA, const __half *b, int ldb,
                                                long long strideB, const __half *beta, __half *c,
                                                int ldc, long long strideC, int count) {
  return cublasGemmStridedBatchedEx(handle, opA, opB, m, n, k, alpha, a, CUDA_R_16F, lda, strideA,
                                    b, CUDA_R_16F, ldb, strideB, beta, c, CUDA_R_16F, ldc, strideC,
                                    count, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
inline cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t opA,
                                         cublasOperation_t opB, int m, int n, int k,
                                         const __half *alpha, const __half *const a[], int lda,
                                         const __half *const b[], int ldb, const __half *beta,
                                         __half *const c[], int ldc, int count) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = cublasHgemm(handle, opA, opB, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], ldc);
  return status;
}
