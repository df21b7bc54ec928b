# The headers that emitted kernels include (with their other files put in place) as text
# inside the compiler library: run-time compilation puts them in front of a kernel.
# Included by the root list; the same file run as a script
# (cmake -DIN=.. -DOUT=.. -DNAME=.. -P embed.cmake) writes the C source.
if(CMAKE_SCRIPT_MODE_FILE)
    cmake_policy(VERSION 3.20)
    # Every header once, where it is first included.
    set(seen)
    function(flatten out path)
        file(READ ${path} text)
        string(REGEX MATCHALL "#include \"compiler/[a-z_]+\\.h\"\n" lines "${text}")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE ".*compiler/([a-z_]+\\.h).*" "\\1" name "${line}")
            set(more)
            if(NOT name IN_LIST seen)
                set(seen ${seen} ${name})
                string(REGEX REPLACE "[^/]+$" "${name}" inner ${path})
                flatten(more ${inner})
            endif()
            string(FIND "${text}" "${line}" at)
            string(SUBSTRING "${text}" 0 ${at} head)
            string(LENGTH "${line}" length)
            math(EXPR at "${at} + ${length}")
            string(SUBSTRING "${text}" ${at} -1 tail)
            set(text "${head}${more}${tail}")
        endforeach()
        set(${out} "${text}" PARENT_SCOPE)
        set(seen ${seen} PARENT_SCOPE)
    endfunction()
    get_filename_component(file ${IN} NAME)
    set(seen ${file})
    flatten(text ${IN})
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    file(WRITE ${OUT} "/* Made from ${file} by cmake/embed.cmake. */
#include \"compiler/compiler.h\"

const char *
${NAME}(void)
{
    return \"${text}\";
}
")
    return()
endif()

# sb_embed(<header of src/compiler> <function> <the files it includes>)
function(sb_embed header name)
    set(in ${CMAKE_SOURCE_DIR}/src/compiler/${header})
    set(out ${CMAKE_BINARY_DIR}/generated/${name}.c)
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/src/compiler/)
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -DNAME=${name}
                -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${in} ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        COMMENT "Embedding ${header}" VERBATIM)
    target_sources(sb_compiler PRIVATE ${out})
endfunction()

if(TARGET sb_compiler)
    sb_embed(spblas_kernel.h sb_emit_prelude
             spblas_scalar.h spblas_vector.h spblas_gather.h)
    sb_embed(spblas_gpu.h sb_emit_gpu_prelude spblas_scalar.h spblas_simt.h)
endif()
