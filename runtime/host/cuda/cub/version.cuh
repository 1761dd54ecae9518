// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: the version whose interface is there, that of CUDA 13.0, and by which
// programs choose. What versions 1 and 2 had is there too.
#pragma once

#define CUB_VERSION 300001
#define CUB_MAJOR_VERSION (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)
#define CUB_PATCH_NUMBER 0
