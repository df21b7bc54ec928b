# GPU kernels made when the library is built, where there is NVRTC: spblas-kernels.gpu beside
# the library, which finds it there, in the build tree as when installed. A minute or more of
# compiling, once: what did not change stays (tools/gpuimage.c).
set(SPBLAS_GPU_BUILTIN "auto" CACHE STRING
    "Make GPU kernels at build time: auto (where there is NVRTC), ON, OFF")
set(SPBLAS_GPU_BUILTIN_ARCHS "" CACHE STRING
    "Architectures to make them for, such as sm_90,compute_75; nothing: all")

if(EXISTS ${CMAKE_SOURCE_DIR}/tools/gpuimage.c AND TARGET sb_gpu)
    add_executable(gpuimage tools/gpuimage.c)
    target_link_libraries(gpuimage PRIVATE sb_all)
endif()

find_library(SPBLAS_NVRTC NAMES nvrtc libnvrtc.so.13 libnvrtc.so.12
    HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
    PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib DOC "NVIDIA's run-time compiler")
if(SPBLAS_GPU_BUILTIN STREQUAL "auto" AND NOT SPBLAS_NVRTC)
    return()
endif()
if(NOT SPBLAS_GPU_BUILTIN OR NOT TARGET gpuimage)
    return()
endif()
if(NOT SPBLAS_NVRTC)
    message(FATAL_ERROR "SPBLAS_GPU_BUILTIN: there is no NVRTC (set SPBLAS_NVRTC)")
endif()

set(SB_GPU_IMAGE ${CMAKE_BINARY_DIR}/spblas-kernels.gpu)
set(archs "")
if(SPBLAS_GPU_BUILTIN_ARCHS)
    list(JOIN SPBLAS_GPU_BUILTIN_ARCHS "," archs)
    set(archs --arch ${archs})
endif()
add_custom_command(OUTPUT ${SB_GPU_IMAGE}
    COMMAND gpuimage --nvrtc ${SPBLAS_NVRTC} ${archs} ${SB_GPU_IMAGE}
    DEPENDS gpuimage COMMENT "Compiling GPU kernels" VERBATIM)
add_custom_target(gpu_image ALL DEPENDS ${SB_GPU_IMAGE})
install(FILES ${SB_GPU_IMAGE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
