# The built-in kernels. spblasc writes the C of every spec in src/kernels/builtin.c once,
# split over a fixed number of files; each x86-64 level compiles them with its own flags
# and a suffix on every symbol. Whatever the levels, the table of tables exists.
set(levels generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(levels v2 v3 v4 v4g)
endif()
# A word, not the list: an old build folder must not keep an old list. Levels are minutes of
# compiling each, so what stays on the machine it is built on may do with native: v3, v4 and v4g where
# it runs them, v2 where it runs no more. Lookups take the next lower level there is.
set(SPBLAS_BUILTIN "all" CACHE STRING
    "Levels (generic, v2, v3, v4, v4g) that kernels are built in for: all, native (those of this machine), a list or nothing")
# They are the same in every build type, so builds of one tree may share them (./check): those of a
# build that has the levels that this one names (with v4g v4, too).
set(SPBLAS_BUILTIN_FROM "" CACHE PATH
    "Another build folder, which makes the libraries of built-in kernels for this one")

function(sb_native_levels out)
    set(native ${levels})
    if("v3" IN_LIST levels AND NOT CMAKE_CROSSCOMPILING)
        try_run(runs compiles ${CMAKE_BINARY_DIR}/native_levels
            ${CMAKE_SOURCE_DIR}/cmake/native_levels.c RUN_OUTPUT_VARIABLE said)
        if(compiles AND runs EQUAL 0)
            string(STRIP "${said}" native)
        endif()
    endif()
    message(STATUS "Kernels are built in for ${native}")
    set(${out} ${native} PARENT_SCOPE)
endfunction()

# What makes a level's code besides -O3: its registers, and which kernels it has
# (tools/spblasc_builtin.c). Lookups go on to the next lower level, spec by spec.
function(sb_level_flags out level)
    set(flags -DSB_LEVEL=${level})
    if(NOT level STREQUAL "generic")
        string(REGEX REPLACE "v([0-9]).*" "-march=x86-64-v\\1" march ${level})
        list(APPEND flags ${march})
    endif()
    if(level STREQUAL "v2")
        list(APPEND flags -DSB_SUMS=128)
    elseif(level STREQUAL "v3") # sixteen registers of 32 bytes
        list(APPEND flags -DSB_SUMS=512)
    elseif(level STREQUAL "v4g") # as v4, with the hardware's gather
        list(APPEND flags -DSBK_FAST_GATHER)
        if("v4" IN_LIST builtin_levels) # has the same code of all others
            list(APPEND flags -DSB_GATHERS)
        endif()
    endif()
    set(${out} ${flags} PARENT_SCOPE)
endfunction()

# Without the tool there is nothing to build in.
set(builtin_levels "")
if(TARGET spblasc)
    set(builtin_levels ${SPBLAS_BUILTIN})
    if(SPBLAS_BUILTIN STREQUAL "all")
        set(builtin_levels ${levels})
    elseif(SPBLAS_BUILTIN STREQUAL "native")
        sb_native_levels(builtin_levels)
    endif()
endif()

set(builtin_dir ${CMAKE_BINARY_DIR}/generated)
set(builtin_sources "")
foreach(shard RANGE 7)
    list(APPEND builtin_sources ${builtin_dir}/builtin_${shard}.c)
endforeach()
list(APPEND builtin_sources ${builtin_dir}/builtin_table.c)

if(builtin_levels AND NOT SPBLAS_BUILTIN_FROM)
    add_custom_command(OUTPUT ${builtin_sources}
        COMMAND spblasc builtin ${builtin_dir}
        DEPENDS spblasc COMMENT "Emitting the built-in kernels" VERBATIM)
    # One target writes the files, so that the levels do not write them at once.
    add_custom_target(sb_builtin_sources DEPENDS ${builtin_sources})
endif()

# const sb_kernel *const sb_builtin_tables[], by sb_isa
set(externs "")
set(rows "")
foreach(level generic v2 v3 v4 v4g)
    if(level IN_LIST builtin_levels)
        string(APPEND externs "extern const sb_kernel sb_builtin_${level}[];\n")
        string(APPEND rows "    sb_builtin_${level},\n")
    else()
        string(APPEND rows "    NULL,\n")
    endif()
endforeach()
file(CONFIGURE OUTPUT ${builtin_dir}/builtin_tables.c @ONLY CONTENT
"/* Made by cmake/builtin.cmake. */
#include \"runtime/kernel.h\"
#include <stddef.h>
@externs@
const sb_kernel *const sb_builtin_tables[] = {
@rows@};
")
function(sb_builtin_library name)
    add_library(${name} STATIC ${ARGN})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src
        ${CMAKE_SOURCE_DIR}/src/compiler)
    set_target_properties(${name} PROPERTIES
        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

sb_builtin_library(sb_builtin ${builtin_dir}/builtin_tables.c)
list(APPEND SB_BUILTIN_LIBS sb_builtin)

if(builtin_levels AND SPBLAS_BUILTIN_FROM)
    set(from_targets ${builtin_levels})
    list(TRANSFORM from_targets PREPEND sb_builtin_)
    set(from_libs ${from_targets})
    list(TRANSFORM from_libs REPLACE "(.+)" "${SPBLAS_BUILTIN_FROM}/lib\\1.a")
    # One build of the other folder: two at once would write the same files.
    add_custom_target(sb_builtin_from BYPRODUCTS ${from_libs}
        COMMAND ${CMAKE_COMMAND} --build ${SPBLAS_BUILTIN_FROM} --target ${from_targets}
        VERBATIM)
endif()

foreach(level ${builtin_levels})
    list(APPEND SB_BUILTIN_LIBS sb_builtin_${level})
    if(SPBLAS_BUILTIN_FROM)
        add_library(sb_builtin_${level} STATIC IMPORTED GLOBAL)
        set_target_properties(sb_builtin_${level} PROPERTIES
            IMPORTED_LOCATION ${SPBLAS_BUILTIN_FROM}/libsb_builtin_${level}.a)
        add_dependencies(sb_builtin_${level} sb_builtin_from)
        continue()
    endif()
    sb_builtin_library(sb_builtin_${level} ${builtin_sources})
    add_dependencies(sb_builtin_${level} sb_builtin_sources)
    sb_level_flags(flags ${level})
    # The same code generation as at run time, whatever the build type.
    target_compile_options(sb_builtin_${level} PRIVATE -O3 -g0 -ffp-contract=fast
        -fno-math-errno -fno-trapping-math ${flags})
endforeach()
