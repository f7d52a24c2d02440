/// \file
/// Symbol visibility, and the compiler features that the library needs.
#pragma once

#if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)
#error "safestructures needs C++20: compile with -std=c++20 or newer"
#include <safestructures/data/needs_cpp20>  // does not exist: prevents pages of errors
#endif
#if !defined(__cpp_exceptions) || !defined(__cpp_rtti)
#error "safestructures needs exceptions and RTTI: compile without -fno-exceptions and -fno-rtti"
#endif
#ifndef __cpp_char8_t
#error "safestructures needs char8_t: compile without -fno-char8_t"
#endif

/// Marks the public API. Its symbols are visible outside a shared library only if that is this
/// library: one that merely links the static library keeps them to itself, so that two shared
/// libraries with different versions can live in one process.
#if defined(_WIN32) && defined(SAFESTRUCTURES_SHARED)
#if defined(SAFESTRUCTURES_BUILDING)
#define SAFESTRUCTURES_API __declspec(dllexport)
#else
#define SAFESTRUCTURES_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) && defined(SAFESTRUCTURES_SHARED)
#define SAFESTRUCTURES_API __attribute__((visibility("default")))
#else
#define SAFESTRUCTURES_API
#endif

/// Marks exceptions, which are always visible, so that one shared library can catch what another
/// throws. Where the C++ runtime compares types by address, two hidden copies would be different
/// types.
#if defined(__GNUC__) && !defined(_WIN32)
#define SAFESTRUCTURES_EXCEPTION __attribute__((visibility("default")))
#else
#define SAFESTRUCTURES_EXCEPTION SAFESTRUCTURES_API
#endif
