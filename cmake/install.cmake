# Installation: library, headers, the tool, pkg-config file and CMake package.
if(TARGET spblas)
    include(CMakePackageConfigHelpers)
    set(SB_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spblas)

    install(TARGETS spblas EXPORT spblasTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES include/spblas.h include/spblas_legacy.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT spblasTargets NAMESPACE spblas:: DESTINATION ${SB_PACKAGE_DIR})

    configure_package_config_file(cmake/spblasConfig.cmake.in
        ${CMAKE_BINARY_DIR}/spblasConfig.cmake INSTALL_DESTINATION ${SB_PACKAGE_DIR})
    write_basic_package_version_file(${CMAKE_BINARY_DIR}/spblasConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${CMAKE_BINARY_DIR}/spblasConfig.cmake
            ${CMAKE_BINARY_DIR}/spblasConfigVersion.cmake DESTINATION ${SB_PACKAGE_DIR})

    # Paths relative to the file itself, so that an installed tree may be moved.
    file(RELATIVE_PATH SB_PC_PREFIX
         ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    configure_file(cmake/spblas.pc.in ${CMAKE_BINARY_DIR}/spblas.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/spblas.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET spblas_tool)
    file(RELATIVE_PATH SB_LIB_FROM_BIN
         ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(spblas_tool PROPERTIES
        INSTALL_RPATH "$ORIGIN/${SB_LIB_FROM_BIN}")
    install(TARGETS spblas_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
