/// \file
/// Growth is about our own work: memory that was used once stays with the process, since the first
/// touch of memory that went back to the system costs more than parsing what lies in it.
#pragma once

#include <malloc.h>

inline const bool keeps_memory = mallopt(M_MMAP_MAX, 0) == 1 && mallopt(M_TRIM_THRESHOLD, -1) == 1;
