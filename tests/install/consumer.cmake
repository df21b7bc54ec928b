# Script of the test install.consumer; see CMakeLists.txt beside it.
set(prefix ${BUILD}/install-test/prefix)
set(example ${SOURCE}/examples/consumer)
file(REMOVE_RECURSE ${BUILD}/install-test)
file(MAKE_DIRECTORY ${BUILD}/install-test)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE rc)
    if(NOT rc EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "failed (${rc}): ${command}")
    endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# A tree that is moved must still work: nothing in it may name where it was made.
file(RENAME ${prefix} ${BUILD}/install-test/moved)
set(prefix ${BUILD}/install-test/moved)

run(${CMAKE_COMMAND} -S ${example} -B ${BUILD}/install-test/cmake -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${CC})
run(${CMAKE_COMMAND} --build ${BUILD}/install-test/cmake)
run(${BUILD}/install-test/cmake/consumer)
run(${BUILD}/install-test/cmake/formats)

run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
    make -C ${example} CC=${CC} OUT=${BUILD}/install-test)
run(${BUILD}/install-test/consumer)
run(${BUILD}/install-test/formats)

# A program written for cuSPARSE, built without the CUDA toolkit, on the stand-in.
run(${CC} -I${prefix}/include/spblas/compat ${SOURCE}/tests/cusparse/threads.c
    -o ${BUILD}/install-test/cusparse -L${prefix}/${LIBDIR}/spblas/compat -lcusparse
    -Wl,-rpath-link,${prefix}/${LIBDIR} -lpthread)
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR}/spblas/compat
    ${BUILD}/install-test/cusparse)
