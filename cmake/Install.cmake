# Installation: headers, libraries, the tool, and the package for find_package(safestructures).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/safestructures)

# Each plugin installs itself: see Plugins.cmake.
install(TARGETS safestructures EXPORT safestructures-targets)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
if(TARGET safestructures_cli)
  install(TARGETS safestructures_cli)
endif()

install(EXPORT safestructures-targets NAMESPACE safestructures:: DESTINATION ${package_dir})
configure_package_config_file(cmake/safestructures-config.cmake.in safestructures-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(safestructures-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/safestructures-config.cmake
              ${PROJECT_BINARY_DIR}/safestructures-config-version.cmake cmake/FindxxHash.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/safestructures)
