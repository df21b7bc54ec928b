# The header that emitted kernels include (with its other files put in place) as text
# inside the compiler library: run-time compilation puts it in front of a kernel.
# Included by the root list; the same file run as a script
# (cmake -DIN=.. -DOUT=.. -P embed.cmake) writes the C source.
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${IN} text)
    foreach(name spblas_vector.h spblas_gather.h)
        string(REGEX REPLACE "[^/]+$" "${name}" path ${IN})
        file(READ ${path} more)
        foreach(outer spblas_kernel.h spblas_vector.h)
            string(REPLACE "#include \"compiler/${outer}\"\n" "" more "${more}")
        endforeach()
        string(REPLACE "#include \"compiler/${name}\"\n" "${more}" text "${text}")
    endforeach()
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    file(WRITE ${OUT} "/* Made from spblas_kernel.h by cmake/embed.cmake. */
#include \"compiler/compiler.h\"

const char *
sb_emit_prelude(void)
{
    return \"${text}\";
}
")
    return()
endif()

if(TARGET sb_compiler)
    set(sb_prelude ${CMAKE_SOURCE_DIR}/src/compiler/spblas_kernel.h)
    add_custom_command(
        OUTPUT ${CMAKE_BINARY_DIR}/generated/emit_prelude.c
        COMMAND ${CMAKE_COMMAND} -DIN=${sb_prelude}
                -DOUT=${CMAKE_BINARY_DIR}/generated/emit_prelude.c
                -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${sb_prelude} ${CMAKE_SOURCE_DIR}/src/compiler/spblas_vector.h
                ${CMAKE_SOURCE_DIR}/src/compiler/spblas_gather.h
                ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        COMMENT "Embedding spblas_kernel.h" VERBATIM)
    target_sources(sb_compiler PRIVATE ${CMAKE_BINARY_DIR}/generated/emit_prelude.c)
endif()
