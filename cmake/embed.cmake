# Text inside libraries, for run-time compilation: the headers that emitted kernels include
# (with their other files put in place), and the kernels that are written by hand.
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
#include \"${HEADER}\"

const char *
${NAME}(void)
{
    return \"${text}\";
}
")
    return()
endif()

# sb_embed(<folder of src> <file there> <function> <header that declares it>
#          <the files it includes>)
function(sb_embed folder file name header)
    set(in ${CMAKE_SOURCE_DIR}/src/${folder}/${file})
    set(out ${CMAKE_BINARY_DIR}/generated/${name}.c)
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/src/${folder}/)
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -DNAME=${name}
                -DHEADER=${header} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${in} ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        COMMENT "Embedding ${file}" VERBATIM)
    target_sources(sb_${folder} PRIVATE ${out})
endfunction()

if(TARGET sb_compiler)
    sb_embed(compiler spblas_kernel.h sb_emit_prelude compiler/compiler.h
             spblas_scalar.h spblas_vector.h spblas_gather.h spblas_half.h spblas_bits.h spblas_tail.h spblas_few.h spblas_fours.h
             spblas_sums.h spblas_rows.h spblas_flow.h spblas_diags.h)
    sb_embed(compiler spblas_gpu.h sb_emit_gpu_prelude compiler/compiler.h
             spblas_scalar.h spblas_simt.h spblas_warp.h)
endif()
foreach(text strips ranges strips_kernel samples products groups)
    if(EXISTS ${CMAKE_SOURCE_DIR}/src/kernels/${text}.inc)
        sb_embed(kernels ${text}.inc sb_byhand_text_${text} kernels/byhand_text.h)
    endif()
endforeach()
foreach(text head scan vector dense tri tri_block spgemm order
             geam filter band grid factor product slots sides canon)
    if(EXISTS ${CMAKE_SOURCE_DIR}/src/native/${text}.inc)
        sb_embed(native ${text}.inc sb_native_text_${text} native/text.h)
    endif()
endforeach()
