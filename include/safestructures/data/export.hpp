/// \file
/// Symbol visibility: everything is hidden but what is marked `SAFESTRUCTURES_API`.
#pragma once

#if defined(_WIN32) && defined(SAFESTRUCTURES_SHARED)
#if defined(SAFESTRUCTURES_BUILDING)
#define SAFESTRUCTURES_API __declspec(dllexport)
#else
#define SAFESTRUCTURES_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SAFESTRUCTURES_API __attribute__((visibility("default")))
#else
#define SAFESTRUCTURES_API
#endif
