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
              cmake/Findlibdeflate.cmake
        DESTINATION ${package_dir})

# For those who build without CMake. A shared library has linked what it needs; the static one leaves
# that to `pkg-config --static`.
if(SAFESTRUCTURES_BUILD_SHARED)
  set(pc_cflags -DSAFESTRUCTURES_SHARED)
else()
  set(pc_requires_private "fmt, simdjson, libxxhash, libdeflate")
  set(pc_libs_private -pthread)
endif()
# Boost's headers where compilers do not look by themselves; CMake finds them by its own package file.
get_target_property(boost_dirs Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
foreach(dir IN LISTS boost_dirs)
  if(IS_DIRECTORY "${dir}" AND NOT dir IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    string(APPEND pc_cflags " -I\"${dir}\"")
  endif()
endforeach()
# Relative to its own place, so that what is installed may be moved; not where it was said in full what
# lies where.
set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(PREPEND pc_prefix "\${pcfiledir}/")
endif()
configure_file(cmake/safestructures.pc.in safestructures.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/safestructures.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/safestructures)

# `cpack -G DEB` in the build folder: library, headers, tool and manual in one package.
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set(CPACK_PACKAGE_NAME safestructures-dev)
  set(CPACK_PACKAGE_CONTACT "the authors of safestructures")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # What those compile and link against who use the headers and the static library.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libboost1.81-dev | libboost-dev (>= 1.75)")
  if(NOT SAFESTRUCTURES_BUILD_SHARED)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libfmt-dev, libsimdjson-dev, libxxhash-dev, "
           "libdeflate-dev")
  endif()
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS libeigen3-dev)
  # Where Debian looks for the licence of a package.
  configure_file(LICENSE deb/copyright COPYONLY)
  set(CPACK_INSTALLED_DIRECTORIES ${PROJECT_BINARY_DIR}/deb usr/share/doc/${CPACK_PACKAGE_NAME})
  include(CPack)
endif()
