/* CUDA's name for the header, where the toolkit is not installed. */
#ifndef HOSTCUDA_CUDA_RUNTIME_API_H
#define HOSTCUDA_CUDA_RUNTIME_API_H
#include "hostcuda.h"
#endif
