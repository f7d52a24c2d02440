/// \file
/// Symbol visibility, and what the library needs of the compiler.
#pragma once

#if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)
#error "safestructures needs C++20: compile with -std=c++20 or newer"
#include <safestructures/data/needs_cpp20>  // is not there: ends what would be pages of errors
#endif
#if !defined(__cpp_exceptions) || !defined(__cpp_rtti)
#error "safestructures needs exceptions and RTTI: compile without -fno-exceptions and -fno-rtti"
#endif
#ifndef __cpp_char8_t
#error "safestructures needs char8_t: compile without -fno-char8_t"
#endif

/// Marks what users call. Visible outside a shared library only where that is this library: one
/// that merely links the static library keeps our symbols to itself, so that two with different
/// versions can live in one process.
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

/// Marks exceptions: visible always, so that what one shared library throws another one catches.
/// Where the C++ runtime compares types by address, two hidden ones are two types.
#if defined(__GNUC__) && !defined(_WIN32)
#define SAFESTRUCTURES_EXCEPTION __attribute__((visibility("default")))
#else
#define SAFESTRUCTURES_EXCEPTION SAFESTRUCTURES_API
#endif
