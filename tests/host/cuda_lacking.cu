// SPDX-License-Identifier: Apache-2.0
// Uses CUDA that the executor lacks; a test expects that this does not parse.
__global__ void rounding(float *p) { p[0] = __fadd_rz(p[0], p[1]); }
