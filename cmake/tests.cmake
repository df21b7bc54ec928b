# Tests. Every tests/{unit,prop,api}/*_test.c is one cmocka executable and one ctest
# named <kind>.<file>, linked to all internal libraries and to tests/support. Its label
# is `quick` unless a comment in the file says otherwise:
#     ctest-labels: full            or   ctest-labels: quick tsan
# `once` marks what the builds with sanitizers and without OpenMP do not try again: much time, in
# code that is the same there or that another test runs.
# Tests of half a minute and more say about how many seconds of a core they are, so that
# ctest begins with the longest and no core waits for one that began last:
#     ctest-cost: 60
# Any other folder under tests/ with a CMakeLists.txt brings its own tests.
find_package(PkgConfig REQUIRED)
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
if(support_sources)
    add_library(sb_testsupport STATIC ${support_sources})
    target_include_directories(sb_testsupport PUBLIC tests/support)
    target_link_libraries(sb_testsupport PUBLIC sb_flags PkgConfig::cmocka)
    target_link_libraries(sb_testsupport INTERFACE sb_all)
    target_compile_definitions(sb_testsupport PRIVATE SB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()

# The programs of all tests labelled tsan, for a build of nothing else.
add_custom_target(tsan_tests)

# sb_add_test(<target> <ctest name> <source>): build and register one test program.
function(sb_add_test target name source)
    set(labels quick)
    file(STRINGS ${source} marks REGEX "ctest-labels:")
    if(marks MATCHES "ctest-labels: *([a-z -]+)")
        string(STRIP "${CMAKE_MATCH_1}" labels)
        string(REPLACE " " ";" labels "${labels}")
    endif()
    set(cost 0)
    file(STRINGS ${source} marks REGEX "ctest-cost:")
    if(marks MATCHES "ctest-cost: *([0-9]+)")
        set(cost ${CMAKE_MATCH_1})
    endif()
    add_executable(${target} ${source})
    target_include_directories(${target} PRIVATE tests/support)
    if(TARGET sb_testsupport)
        target_link_libraries(${target} PRIVATE sb_testsupport)
    endif()
    target_link_libraries(${target} PRIVATE sb_all PkgConfig::cmocka)
    target_compile_definitions(${target} PRIVATE
        SB_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SB_BINARY_DIR="${CMAKE_BINARY_DIR}")
    if(tsan IN_LIST labels)
        add_dependencies(tsan_tests ${target})
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 900
        COST ${cost} SKIP_RETURN_CODE 77
        ENVIRONMENT "${SB_TEST_ENV}")
endfunction()

# Tests never touch the cache of the user who runs them, nor what was fitted there. The
# runner of seeded faults gives each fault a cache of its own.
set(SPBLAS_TEST_CACHE "${CMAKE_BINARY_DIR}/test-cache" CACHE PATH
    "Where tests keep compiled kernels; builds may share it")
# Threads without work sleep: ctest runs as many programs as there are cores, and one whose
# team turns idly in a barrier takes its neighbour's core.
set(SB_TEST_ENV "SPBLAS_MODEL=off" "SPBLAS_WISDOM=off" "OMP_WAIT_POLICY=passive")
if(NOT SPBLAS_FAULTS)
    list(APPEND SB_TEST_ENV "SPBLAS_CACHE_DIR=${SPBLAS_TEST_CACHE}")
endif()

# clang's OpenMP runtime keeps a few blocks of its own at exit.
list(APPEND SB_TEST_ENV
    "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
    # clang 14's guess at the thread-local blocks of loaded libraries misreads glibc's and
    # then crashes the leak check.
    "ASAN_OPTIONS=intercept_tls_get_addr=0")

# A locale with a decimal comma, made here if the machine has the sources for it, so
# that the tests of numbers as text can run under it; without one those cases skip.
find_program(SB_LOCALEDEF localedef)
if(SB_LOCALEDEF AND NOT EXISTS ${CMAKE_BINARY_DIR}/locale/de_DE.UTF-8)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/locale)
    execute_process(
        COMMAND ${SB_LOCALEDEF} -i de_DE -f UTF-8 ${CMAKE_BINARY_DIR}/locale/de_DE.UTF-8
        OUTPUT_QUIET ERROR_QUIET)
endif()
list(APPEND SB_TEST_ENV "LOCPATH=${CMAKE_BINARY_DIR}/locale")

foreach(kind unit prop api)
    file(GLOB sources CONFIGURE_DEPENDS tests/${kind}/*_test.c)
    foreach(source ${sources})
        get_filename_component(base ${source} NAME_WE)
        string(REGEX REPLACE "_test$" "" base ${base})
        sb_add_test(${kind}_${base} ${kind}.${base} ${source})
    endforeach()
endforeach()

# Registers of 32 bytes have their own text, where there are longer ones, too.
add_test(NAME prop.kernels_rows_v3 COMMAND prop_kernels_rows)
set_tests_properties(prop.kernels_rows_v3 PROPERTIES LABELS quick
    ENVIRONMENT "${SB_TEST_ENV};SPBLAS_ISA=v3")

# As programs run that say nothing of how long threads turn: short work after a pause is the caller's.
foreach(test api.products prop.planner_resident)
    string(REPLACE "." "_" target ${test})
    add_test(NAME ${test}_paused COMMAND ${target})
    set_tests_properties(${test}_paused PROPERTIES LABELS quick SKIP_RETURN_CODE 77
        ENVIRONMENT "${SB_TEST_ENV}" ENVIRONMENT_MODIFICATION "OMP_WAIT_POLICY=unset:")
endforeach()

# The loops without AVX2.
foreach(reference reference reference_chunk)
    add_test(NAME prop.${reference}_generic COMMAND prop_${reference})
    set_tests_properties(prop.${reference}_generic PROPERTIES LABELS quick
        ENVIRONMENT "${SB_TEST_ENV};SPBLAS_ISA=generic")
endforeach()

add_test(NAME prop.gpu_recipes_all COMMAND prop_gpu_recipes --rest)
add_test(NAME prop.gpu_recipes_watched COMMAND prop_gpu_recipes --watch)
set_tests_properties(prop.gpu_recipes_all prop.gpu_recipes_watched PROPERTIES LABELS "full;gpu-emu" TIMEOUT 900
    COST 60 ENVIRONMENT "${SB_TEST_ENV}")

file(GLOB test_folders CONFIGURE_DEPENDS tests/*/CMakeLists.txt)
foreach(list ${test_folders})
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
endforeach()
