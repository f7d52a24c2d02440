# Dependencies: an installed package first, a pinned download second (only when asked for).

# Declares the download of `package`; each is the version that Debian has, or the next that builds
# with the CMake versions we support.
function(safestructures_declare_download package)
  set(url_fmt https://github.com/fmtlib/fmt.git)
  set(tag_fmt 10.1.1)
  set(url_simdjson https://github.com/simdjson/simdjson.git)
  set(tag_simdjson v3.12.2)
  set(url_nlohmann_json https://github.com/nlohmann/json.git)
  set(tag_nlohmann_json v3.11.3)
  set(url_xxHash https://github.com/Cyan4973/xxHash.git)
  set(tag_xxHash v0.8.3)
  set(where_xxHash SOURCE_SUBDIR cmake_unofficial)
  set(url_libdeflate https://github.com/ebiggers/libdeflate.git)
  set(tag_libdeflate v1.19)
  set(url_Boost https://github.com/boostorg/pfr.git)
  set(tag_Boost boost-1.84.0)
  set(url_Eigen3 https://gitlab.com/libeigen/eigen.git)
  set(tag_Eigen3 3.4.0)
  set(url_doctest https://github.com/doctest/doctest.git)
  set(tag_doctest v2.4.11)
  set(url_CLI11 https://github.com/CLIUtils/CLI11.git)
  set(tag_CLI11 v2.4.2)
  if(NOT url_${package})
    message(FATAL_ERROR "No download is known for ${package}. Install it instead.")
  endif()
  FetchContent_Declare(
    ${package}
    GIT_REPOSITORY ${url_${package}}
    GIT_TAG ${tag_${package}}
    GIT_SHALLOW ON ${where_${package}})
endfunction()

# Says in the variable `out` why there is no `target` of `package`. One that was found may have made
# none: Eigen3 does not where another target is called `rival`.
function(safestructures_why_missing out package version target debian rival)
  if(${package}_FOUND AND TARGET "${rival}")
    set(why "${package} was found, but did not make its target ${target}, as there is a target named "
            "${rival} already. Give that another name, or call find_package(${package}) before it is "
            "made.")
  elseif(${package}_FOUND AND NOT (${package}_VERSION AND ${package}_VERSION VERSION_LESS ${version}))
    set(why "${package} was found, but did not make its target ${target}.")
  else()
    set(why "${package} ${version} or newer was not found (Debian: ${debian}).")
  endif()
  string(CONCAT why ${why})
  set(${out} "${why}" PARENT_SCOPE)
endfunction()

# safestructures_require(<package> <version> TARGET <target> DEBIAN <package names> [RIVAL <target>])
#
# Makes sure that the imported target exists: the embedding project's own, an installed package's,
# or, with SAFESTRUCTURES_FETCH_DEPENDENCIES, a downloaded one's.
macro(safestructures_require package version)
  cmake_parse_arguments(require "" "TARGET;DEBIAN;RIVAL" "" ${ARGN})
  if(NOT TARGET ${require_TARGET})
    find_package(${package} QUIET)
    # Not left to find_package: simdjson's and others' version files refuse any newer minor version.
    # FindZLIB of older CMake says its version under another name.
    if(${package}_FOUND AND ${package}_VERSION AND ${package}_VERSION VERSION_LESS ${version})
      message(FATAL_ERROR "${package} ${version} or newer is needed; found ${${package}_VERSION}.")
    endif()
  endif()
  if(NOT TARGET ${require_TARGET} AND SAFESTRUCTURES_FETCH_DEPENDENCIES)
    include(FetchContent)
    safestructures_declare_download(${package})
    FetchContent_MakeAvailable(${package})
    if("${package}" STREQUAL "libdeflate")
      add_library(libdeflate::libdeflate ALIAS libdeflate_static)
    endif()
    # PFR alone is all we need of Boost.
    if("${package}" STREQUAL "Boost" AND NOT TARGET Boost::headers)
      add_library(Boost::headers ALIAS boost_pfr)
    endif()
  endif()
  if(NOT TARGET ${require_TARGET} AND ${package}_FOUND)
    safestructures_why_missing(require_why ${package} ${version} ${require_TARGET}
                               "${require_DEBIAN}" "${require_RIVAL}")
    message(FATAL_ERROR "${require_why}")
  elseif(NOT TARGET ${require_TARGET})
    message(
      FATAL_ERROR
        "${package} ${version} or newer was not found. Install it (Debian: ${require_DEBIAN}; "
        "./dev does that), or configure with -DSAFESTRUCTURES_FETCH_DEPENDENCIES=ON "
        "-DSAFESTRUCTURES_INSTALL=OFF to download it.")
  endif()
endmacro()

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
