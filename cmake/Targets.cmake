# Settings of our own targets. Nothing here touches a project that embeds the library.

# Compiles `target` with our warnings, and as errors where SAFESTRUCTURES_WARNINGS_AS_ERRORS says so,
# and to the same digits for every processor of a family.
function(safestructures_own_code target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # There are no modules to look for: the scan would only slow builds by newer CMake versions.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_SCAN_FOR_MODULES OFF)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 $<$<BOOL:${SAFESTRUCTURES_WARNINGS_AS_ERRORS}>:/WX>)
  else()
    target_compile_options(
      ${target}
      PRIVATE -Wall
              -Wextra
              -Wpedantic
              -Wshadow
              -Wconversion
              -Wsign-conversion
              # A product and a sum that are rounded once, as with -march=native, have other digits, in
              # the statistics of a recording too.
              -ffp-contract=off
              # GCC 12 sees overlaps in `"text" + std::string` at -O3 that are not there (GCC bug 105651).
              $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
              $<$<BOOL:${SAFESTRUCTURES_WARNINGS_AS_ERRORS}>:-Werror>)
  endif()
endfunction()

# Groups the sources of `target` for CMAKE_UNITY_BUILD (demo and sanitizers): those of a folder are
# compiled as one file. A source that has a name in an anonymous namespace which one before it has too
# goes into a second group, or a third; the names are found by the shape that clang-format gives the
# lines.
function(safestructures_group_sources target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(NOT MSVC)
    # A local variable may have the name of another file's function; and what is in an anonymous
    # namespace looks to GCC as if it came from a header.
    target_compile_options(${target} PRIVATE -Wno-shadow
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE file)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${safestructures_SOURCE_DIR}" OUTPUT_VARIABLE folder)
    cmake_path(REMOVE_FILENAME folder)
    # The rooms of a floor together, as each group parses the same headers anew. Those of the formats are
    # as large as floors.
    if(NOT folder MATCHES "^src/formats/")
      string(REGEX REPLACE "^(src/[a-z]+/).*" "\\1" folder "${folder}")
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" group)
    file(READ "${file}" text)
    # `;` and brackets mean something in CMake's lists. @ and $ stand for the ends of the namespace.
    string(REGEX REPLACE "[][;@$]" " " text "${text}")
    string(REPLACE "\nnamespace {\n" "@\n" text "${text}")
    string(REPLACE "\n}  // namespace\n" "$" text "${text}")
    string(REGEX MATCHALL "@[^$]*" text "${text}")
    string(REGEX MATCHALL "\n(struct|class|enum|enum class|union) [A-Za-z0-9_]+" names "${text}")
    string(REGEX MATCHALL "\n[A-Za-z][^\n(){}=]*[ *&][A-Za-z0-9_]+ ?[({=]" others "${text}")
    list(APPEND names ${others})
    list(TRANSFORM names REPLACE ".*[ *&]([A-Za-z0-9_]+) ?[({=]?$" "\\1")
    set(clashes TRUE)
    set(number 0)
    while(clashes)
      math(EXPR number "${number} + 1")
      set(clashes FALSE)
      foreach(name IN LISTS names)
        if(name IN_LIST names_${group}_${number})
          set(clashes TRUE)
        endif()
      endforeach()
    endwhile()
    list(APPEND names_${group}_${number} ${names})
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP ${group}_${number})
  endforeach()
endfunction()

# What `./dev build` and `./dev sanitize` build: every program that can be run.
add_custom_target(safestructures_programs)
# What is run under ThreadSanitizer.
add_custom_target(safestructures_thread_tests)

# Makes the doctest executable `target` of the given sources. `tests/` sources may include the
# private headers of `src`.
function(safestructures_doctest target)
  add_executable(${target} ${ARGN})
  safestructures_own_code(${target})
  # Tests of different contracts use the same short names.
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${target} PRIVATE ${safestructures_SOURCE_DIR}/src
                                               ${safestructures_SOURCE_DIR}/tests)
  target_compile_definitions(
    ${target} PRIVATE SAFESTRUCTURES_TEST_DATA="${safestructures_SOURCE_DIR}/tests")
  target_link_libraries(
    ${target}
    PRIVATE safestructures::safestructures
            safestructures::eigen
            safestructures_test_main
            doctest::doctest
            nlohmann_json::nlohmann_json
            fmt::fmt
            xxHash::xxhash
            Threads::Threads)
  add_dependencies(safestructures_programs ${target})
endfunction()

# Registers one ctest test for each source of the doctest executable `target`: the contract's name
# is the file's. A file whose test cases all went missing fails.
function(safestructures_doctest_files target prefix)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_test$" "" name ${stem})
    add_test(NAME ${prefix}.${name} COMMAND ${target} --source-file=*/${stem}.cpp)
    set_tests_properties(${prefix}.${name} PROPERTIES LABELS ${prefix} FAIL_REGULAR_EXPRESSION
                                                                   "test cases: +0 ")
  endforeach()
endfunction()

# Makes an executable of each source and runs it as a test in a folder of its own.
function(safestructures_examples)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    set(target safestructures_example_${name})
    add_executable(${target} ${source})
    safestructures_own_code(${target})
    set_target_properties(
      ${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                               ${safestructures_BINARY_DIR}/bin/examples)
    target_link_libraries(${target} PRIVATE safestructures::safestructures safestructures::eigen)
    add_dependencies(safestructures_programs ${target})
    if(SAFESTRUCTURES_BUILD_TESTS)
      set(folder ${safestructures_BINARY_DIR}/run/examples/${name})
      file(MAKE_DIRECTORY ${folder})
      add_test(NAME example.${name} COMMAND ${target} WORKING_DIRECTORY ${folder})
      set_tests_properties(example.${name} PROPERTIES LABELS example)
    endif()
  endforeach()
endfunction()
