# A port for an overlay: the sources are those that this folder belongs to.
#   vcpkg install safestructures --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" is_shared)
# A plugin is built where its package is found: what this port does not depend on is not looked for, so
# that it is the same whatever else is installed.
vcpkg_check_features(
  OUT_FEATURE_OPTIONS feature_options
  FEATURES tool SAFESTRUCTURES_BUILD_CLI
  INVERTED_FEATURES eigen CMAKE_DISABLE_FIND_PACKAGE_Eigen3)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    -DCMAKE_DISABLE_FIND_PACKAGE_xtensor=ON
    -DSAFESTRUCTURES_BUILD_SHARED=${is_shared}
    -DSAFESTRUCTURES_BUILD_TESTS=OFF
    -DSAFESTRUCTURES_BUILD_EXAMPLES=OFF
    -DSAFESTRUCTURES_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/safestructures)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES safestructures AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
