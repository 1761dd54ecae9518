// SPDX-License-Identifier: Apache-2.0
// Arrays, texture and surface objects: what a read returns inside, between and outside of the
// elements.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

cudaTextureDesc reading(cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                        bool isNormalized) {
  cudaTextureDesc as{};
  as.filterMode = filter;
  as.addressMode[0] = as.addressMode[1] = as.addressMode[2] = mode;
  as.normalizedCoords = isNormalized;
  return as;
}

/// A texture on rows of 4 by 3 elements: 0 1 2 3, 10 11 12 13, 20 21 22 23.
template <class T> struct Rows {
  std::vector<T> elements = std::vector<T>(24);
  cudaTextureObject_t object = 0;

  explicit Rows(const cudaTextureDesc &as) {
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column)
        elements[row * 8 + column] = static_cast<T>(10 * row + column);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {elements.data(), cudaCreateChannelDesc<T>(), 4, 3, 8 * sizeof(T)};
    EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  }
  ~Rows() { cudaDestroyTextureObject(object); }
};

TEST(Texture, PointsAreTheElementsAround) {
  const Rows<int> rows(reading(cudaFilterModePoint, cudaAddressModeClamp, false));
  EXPECT_EQ(tex2D<int>(rows.object, 2.0f, 1.0f), 12);
  EXPECT_EQ(tex2D<int>(rows.object, 2.99f, 1.99f), 12);
  EXPECT_EQ(tex2D<int>(rows.object, -5.0f, 0.5f), 0);
  EXPECT_EQ(tex2D<int>(rows.object, 99.0f, 99.0f), 23);
}

TEST(Texture, LinearWeightsHaveEightBits) {
  const Rows<float> rows(reading(cudaFilterModeLinear, cudaAddressModeClamp, false));
  EXPECT_EQ(tex2D<float>(rows.object, 2.5f, 1.5f), 12);
  EXPECT_EQ(tex2D<float>(rows.object, 3.0f, 1.5f), 12.5f);
  EXPECT_EQ(tex2D<float>(rows.object, 2.5f, 2.0f), 17);
  EXPECT_EQ(tex2D<float>(rows.object, 2.5f + 1.0f / 1024, 1.5f), 12);
  EXPECT_EQ(tex2D<float>(rows.object, 2.5f + 3.0f / 1024, 1.5f), 12 + 1.0f / 256);
  EXPECT_EQ(tex2D<float>(rows.object, 0.1f, 0.5f), 0);
}

TEST(Texture, CoordinatesOutsideWrapMirrorOrMeetTheBorder) {
  const auto at = [](cudaTextureAddressMode mode, float x) {
    const Rows<int> rows(reading(cudaFilterModePoint, mode, true));
    return tex2D<int>(rows.object, x, 0.5f) - 10;
  };
  EXPECT_EQ(at(cudaAddressModeWrap, 1.125f), 0);
  EXPECT_EQ(at(cudaAddressModeWrap, -0.125f), 3);
  EXPECT_EQ(at(cudaAddressModeMirror, 1.125f), 3);
  EXPECT_EQ(at(cudaAddressModeMirror, -0.375f), 1);
  EXPECT_EQ(at(cudaAddressModeClamp, 1.125f), 3);
  EXPECT_EQ(at(cudaAddressModeBorder, 1.125f), -10);
  // Coordinates of elements are not repeated.
  const Rows<int> rows(reading(cudaFilterModePoint, cudaAddressModeWrap, false));
  EXPECT_EQ(tex2D<int>(rows.object, 4.0f, 0.0f), 3);
}

TEST(Texture, IntegersAreReadAsPartsOfOne) {
  cudaTextureDesc as = reading(cudaFilterModeLinear, cudaAddressModeClamp, false);
  cudaTextureObject_t object = 0;
  uchar4 pixels[2] = {{0, 51, 102, 255}, {255, 51, 0, 255}};
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {pixels, cudaCreateChannelDesc<uchar4>(), 2, 1, sizeof pixels};
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr),
            cudaErrorInvalidFilterSetting);
  as.readMode = cudaReadModeNormalizedFloat;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  const float4 middle = tex2D<float4>(object, 1.0f, 0.5f);
  EXPECT_FLOAT_EQ(middle.x, 0.5f);
  EXPECT_FLOAT_EQ(middle.y, 0.2f);
  EXPECT_FLOAT_EQ(middle.z, 0.2f);
  EXPECT_FLOAT_EQ(middle.w, 1.0f);
  cudaDestroyTextureObject(object);
}

TEST(Texture, LinearMemoryIsReadByIndex) {
  float2 values[5];
  for (int i = 0; i < 5; ++i)
    values[i] = {1.0f * i, -1.0f * i};
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {values, cudaCreateChannelDesc<float2>(), sizeof values};
  const cudaTextureDesc as{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  EXPECT_EQ(tex1Dfetch<float2>(object, 3).y, -3);
  EXPECT_EQ(tex1Dfetch<float2>(object, 5).x, 0);
  EXPECT_EQ(tex1Dfetch<float>(object, 4), 4);
  float2 value;
  tex1Dfetch(&value, object, 2);
  EXPECT_EQ(value.x, 2);
  cudaDestroyTextureObject(object);
}

TEST(Texture, ArraysAreCopiedToAndReadInThreeDimensions) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(3, 2, 2);
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &format, extent), cudaSuccess);
  float values[12];
  for (int i = 0; i < 12; ++i)
    values[i] = static_cast<float>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(values, 3 * sizeof(float), 3, 2);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc as = reading(cudaFilterModeLinear, cudaAddressModeClamp, false);
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  EXPECT_EQ(tex3D<float>(object, 1.5f, 0.5f, 1.5f), 7);
  EXPECT_EQ(tex3D<float>(object, 2.0f, 1.0f, 1.0f), (1 + 2 + 4 + 5 + 7 + 8 + 10 + 11) / 8.0f);
  float back[2] = {};
  EXPECT_EQ(cudaMemcpy2DFromArray(back, 4, array, 4, 2, 4, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back[0], 7);
  EXPECT_EQ(back[1], 10);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 8, 0, values, 4, 8, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  copy.dstPos = make_cudaPos(1, 0, 0);
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  (void)cudaGetLastError();
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
}

TEST(Texture, HalvesAreReadAsFloats) {
  __half values[2] = {__float2half(1.5f), __float2half(-2.0f)};
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {values, cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat),
                         sizeof values};
  const cudaTextureDesc as{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  EXPECT_EQ(tex1Dfetch<float>(object, 1), -2);
  cudaDestroyTextureObject(object);
}

/// An array with rows of two floats: 0 1, 10 11, in each layer 100 more.
cudaArray_t layersOf(unsigned int flags, std::size_t layers) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, {2, 2, layers}, flags), cudaSuccess);
  std::vector<float> elements;
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t row = i / 2, column = i % 2;
      elements.push_back(static_cast<float>(100 * layer + 10 * row + column));
    }
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(elements.data(), 2 * sizeof(float), 2, 2);
  copy.dstArray = array;
  copy.extent = {2, 2, layers};
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  return array;
}

cudaResourceDesc resourceOf(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

TEST(Texture, FiltersDoNotCrossLayers) {
  const cudaArray_t array = layersOf(cudaArrayLayered, 3);
  const cudaResourceDesc resource = resourceOf(array);
  const cudaTextureDesc as = reading(cudaFilterModeLinear, cudaAddressModeClamp, false);
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  EXPECT_EQ(tex2DLayered<float>(object, 1, 1, 1), 105.5f);
  EXPECT_EQ(tex2DLayered<float>(object, 1, 1, 9), 205.5f);
  EXPECT_EQ(tex1DLayered<float>(object, 1, 2), 200.5f);
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
}

TEST(Texture, ADirectionMeetsAFaceOfTheCube) {
  const cudaArray_t array = layersOf(cudaArrayCubemap, 6);
  const cudaResourceDesc resource = resourceOf(array);
  const cudaTextureDesc as = reading(cudaFilterModePoint, cudaAddressModeClamp, true);
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &as, nullptr), cudaSuccess);
  EXPECT_EQ(texCubemap<float>(object, 2, -1, 1), 0 + 10);
  EXPECT_EQ(texCubemap<float>(object, -2, -1, 1), 100 + 11);
  EXPECT_EQ(texCubemap<float>(object, 1, 2, -1), 200 + 1);
  EXPECT_EQ(texCubemap<float>(object, 1, -2, -1), 300 + 11);
  EXPECT_EQ(texCubemap<float>(object, -1, 1, 2), 400);
  EXPECT_EQ(texCubemap<float>(object, -1, 1, -2), 500 + 1);
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
  cudaArray_t uneven = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_EQ(cudaMalloc3DArray(&uneven, &format, {2, 2, 5}, cudaArrayCubemap),
            cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

TEST(Surface, CountsBytesAlongRowsAndIsTheArrays) {
  const cudaArray_t array = layersOf(cudaArraySurfaceLoadStore, 2);
  const cudaResourceDesc resource = resourceOf(array);
  cudaSurfaceObject_t object = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&object, &resource), cudaSuccess);
  EXPECT_EQ(surf3Dread<float>(object, 4, 1, 1), 111);
  EXPECT_EQ(surf2Dread<float2>(object, 0, 1).y, 11);
  EXPECT_EQ(surf2Dread<float>(object, 8, 0, cudaBoundaryModeZero), 0);
  EXPECT_EQ(surf2Dread<float>(object, 8, 7, cudaBoundaryModeClamp), 11);
  surf2Dwrite(-1.0f, object, -4, 0, cudaBoundaryModeZero);
  surf2DLayeredwrite(7.0f, object, 4, 0, 1);
  float elements[2];
  EXPECT_EQ(cudaMemcpy2DFromArray(elements, sizeof elements, array, 0, 2, sizeof elements, 1,
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(elements[0], 100);
  EXPECT_EQ(elements[1], 7);
  float read = 0;
  surf1Dread(&read, object, 4);
  EXPECT_EQ(read, 1);
  EXPECT_DEATH(surf1Dwrite(1.0f, object, 8), "");
  EXPECT_EQ(cudaDestroySurfaceObject(object), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(object), cudaErrorInvalidValue);
  (void)cudaGetLastError();
  cudaFreeArray(array);
}

TEST(MemoryPools, AllocateDeviceMemoryAndKeepWhatTheyAreTold) {
  cudaMemPool_t pool = nullptr, own = nullptr, current = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  std::uint64_t threshold = ~std::uint64_t{0}, kept = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), cudaSuccess);
  EXPECT_EQ(kept, threshold);
  const cudaMemPoolProps properties{};
  ASSERT_EQ(cudaMemPoolCreate(&own, &properties), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetMemPool(0, own), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, own);
  float *memory = nullptr, *more = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 64, own, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&more, 64, own, nullptr), cudaSuccess);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, memory);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &kept), cudaSuccess);
  EXPECT_GE(kept, 128u);
  EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(more, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

} // namespace
