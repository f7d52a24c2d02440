# Plugins: a folder each in plugins/, whose CMakeLists.txt is one call of safestructures_plugin.

# safestructures_plugin(<name> PACKAGE <package> VERSION <version> TARGETS <target>...
#                       DEBIAN <package names> [RIVAL <target>] [NEEDED_BY_TESTS])
#
# Makes the target safestructures::<name> of the present folder, where the package is there whose
# types it teaches: of its include/, header only unless there are src/*.cpp; with its
# tests/*_test.cpp, the programs in example/, and the component <name> of the installed package.
# Without the package it is left out, or an error where it is NEEDED_BY_TESTS. A target named RIVAL keeps
# the package from making its own.
function(safestructures_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "NEEDED_BY_TESTS" "PACKAGE;VERSION;DEBIAN;RIVAL"
                        "TARGETS")
  list(GET plugin_TARGETS 0 first_target)
  if(plugin_NEEDED_BY_TESTS AND (SAFESTRUCTURES_BUILD_TESTS OR SAFESTRUCTURES_BUILD_EXAMPLES))
    safestructures_require(${plugin_PACKAGE} ${plugin_VERSION} TARGET ${first_target} DEBIAN
                           "${plugin_DEBIAN}" RIVAL "${plugin_RIVAL}")
  elseif(NOT TARGET ${first_target})
    find_package(${plugin_PACKAGE} QUIET)
  endif()
  if(NOT TARGET ${first_target} OR (${plugin_PACKAGE}_VERSION AND ${plugin_PACKAGE}_VERSION
                                                                  VERSION_LESS ${plugin_VERSION}))
    safestructures_why_missing(why ${plugin_PACKAGE} ${plugin_VERSION} ${first_target}
                               "${plugin_DEBIAN}" "${plugin_RIVAL}")
    message(STATUS "safestructures::${name} is left out: ${why}")
    return()
  endif()

  set(target safestructures_${name})
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  if(sources)
    set(scope PUBLIC)
    add_library(${target} ${library_kind} ${sources})
    safestructures_own_code(${target})
    set_target_properties(
      ${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                           POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(safestructures::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(
    ${target} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} safestructures::safestructures ${plugin_TARGETS})
  set_property(GLOBAL APPEND PROPERTY SAFESTRUCTURES_PLUGINS ${name})

  if(SAFESTRUCTURES_BUILD_TESTS)
    file(GLOB test_sources CONFIGURE_DEPENDS tests/*_test.cpp)
    if(test_sources)
      safestructures_doctest(${target}_tests ${test_sources})
      target_link_libraries(${target}_tests PRIVATE ${target})
      safestructures_doctest_files(${target}_tests ${name} ${test_sources})
      foreach(source IN LISTS test_sources)
        cmake_path(GET source STEM test)
        string(REGEX REPLACE "_test$" "" test ${test})
        set_tests_properties(${name}.${test} PROPERTIES LABELS "unit;${name}")
      endforeach()
    endif()
  endif()

  if(SAFESTRUCTURES_BUILD_EXAMPLES)
    file(GLOB example_sources CONFIGURE_DEPENDS example/*.cpp)
    safestructures_examples(${example_sources})
    foreach(source IN LISTS example_sources)
      cmake_path(GET source STEM example)
      target_link_libraries(safestructures_example_${example} PRIVATE ${target})
    endforeach()
  endif()

  if(SAFESTRUCTURES_INSTALL)
    set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/safestructures/plugins/${name})
    install(TARGETS ${target} EXPORT safestructures-${name}-targets)
    install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
            PATTERN "*.hpp")
    install(
      EXPORT safestructures-${name}-targets
      FILE targets.cmake
      NAMESPACE safestructures::
      DESTINATION ${folder})
    configure_file(${safestructures_SOURCE_DIR}/cmake/plugin.cmake.in plugin.cmake @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plugin.cmake DESTINATION ${folder})
  endif()
endfunction()
