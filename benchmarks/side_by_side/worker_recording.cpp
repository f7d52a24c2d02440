// R1 to R3: records of a running program, and what the system alone takes for the same bytes.
#include "recordings.hpp"
#include "worker.hpp"

namespace bench {
namespace {

template <void (*run)(const Path&, Size), Size size>
void of(const Path& file) {
  run(file, size);
}

constexpr Action actions[] = {
    {"R1", "copy", of<copy_records, r1>},
    {"R1", "write", of<write_records, r1>},
    {"R1", "write_given", of<write_given_records, r1>},
    {"R1", "hot_path", of<record_hot_path, r1>},
    {"R1", "record", of<record_all, r1>},
    {"R1", "record_moved", of<record_moved, r1>},
    {"R1", "open", of<open_recording, r1>},
    {"R1", "find", of<find_record, r1>},
    {"R2", "copy", of<copy_records, r2>},
    {"R2", "write", of<write_records, r2>},
    {"R2", "write_given", of<write_given_records, r2>},
    {"R2", "hot_path", of<record_hot_path, r2>},
    {"R2", "record", of<record_all, r2>},
    {"R2", "record_moved", of<record_moved, r2>},
    {"R2", "open", of<open_recording, r2>},
    {"R2", "find", of<find_record, r2>},
    {"R3", "copy", of<copy_records, r3>},
    {"R3", "write", of<write_records, r3>},
    {"R3", "write_given", of<write_given_records, r3>},
    {"R3", "hot_path", of<record_hot_path, r3>},
    {"R3", "record", of<record_all, r3>},
    {"R3", "record_moved", of<record_moved, r3>},
    {"R3", "open", of<open_recording, r3>},
    {"R3", "find", of<find_record, r3>},
};

}  // namespace

std::span<const Action> recording_actions() { return actions; }

}  // namespace bench
