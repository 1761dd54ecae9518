// SPDX-License-Identifier: Apache-2.0
// Uses CUDA that the executor lacks; a test expects that this does not parse.
__global__ void profiled() { __prof_trigger(0); }
