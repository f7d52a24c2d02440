// The limits: what the system alone takes for the same bytes. `limits ACTION FILE BYTES`, and for
// the sweep over sizes `limits ACTION FILE BYTES BLOCK TARGET`, where every block in the file has
// TARGET bytes in memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"

namespace {

using namespace bench;

struct Job {
  std::string file;
  std::size_t bytes;
  std::size_t block = mib;   // In the file.
  std::size_t target = mib;  // The same in memory.
};

class Descriptor {
 public:
  Descriptor(const std::string& file, int flags) : number_(open(file.c_str(), flags, 0666)) {
    require(number_ >= 0, "cannot open the file");
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

constexpr int fresh = O_WRONLY | O_CREAT | O_TRUNC;

std::vector<char> source(std::size_t bytes) { return std::vector<char>(bytes, 'x'); }

void write_all(int file, std::span<const char> bytes, std::size_t piece) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(file, bytes.data() + done, std::min(piece, bytes.size() - done));
    require(count > 0, "cannot write");
    done += static_cast<std::size_t>(count);
  }
}

void read_all(int file, std::span<char> bytes, std::size_t piece) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = read(file, bytes.data() + done, std::min(piece, bytes.size() - done));
    require(count > 0, "cannot read");
    done += static_cast<std::size_t>(count);
  }
}

/// Fresh memory in huge pages, aligned to them.
std::span<char> huge_memory(std::size_t bytes) {
  auto* memory = static_cast<char*>(
      mmap(nullptr, bytes + 2 * mib, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  require(memory != MAP_FAILED, "no memory");
  void* aligned = memory;
  std::size_t space = bytes + 2 * mib;
  std::align(2 * mib, bytes, aligned, space);
  madvise(aligned, bytes, MADV_HUGEPAGE);
  return {static_cast<char*>(aligned), bytes};
}

/// Asks for huge pages in the whole ones inside, as far as there are any.
void advise_huge(std::span<char> bytes) {
  void* aligned = bytes.data();
  std::size_t space = bytes.size();
  if (std::align(2 * mib, 2 * mib, aligned, space) != nullptr)
    madvise(aligned, space / (2 * mib) * (2 * mib), MADV_HUGEPAGE);
}

/// For the runner: see `measure_row` there.
void warm(const Job& job) { warm_memory(job.bytes); }

void write_pieces(const Job& job, bool sync) {
  const std::vector<char> bytes = source(job.bytes);
  measure(job.bytes, [&] {
    const Descriptor file(job.file, fresh);
    write_all(file, bytes, 1 * mib);
    if (sync) require(fsync(file) == 0, "cannot fsync");
  });
}

void write_plain(const Job& job) { write_pieces(job, false); }
void write_fsync(const Job& job) { write_pieces(job, true); }

void fallocate_write(const Job& job) {
  const std::vector<char> bytes = source(job.bytes);
  measure(job.bytes, [&] {
    const Descriptor file(job.file, fresh);
    require(fallocate(file, 0, 0, static_cast<off_t>(job.bytes)) == 0, "cannot fallocate");
    write_all(file, bytes, 2 * mib);
  });
}

void fallocate_write_rename(const Job& job) {
  const std::vector<char> bytes = source(job.bytes);
  const std::string temporary = job.file + ".tmp";
  measure(job.bytes, [&] {
    {
      const Descriptor file(temporary, fresh);
      require(fallocate(file, 0, 0, static_cast<off_t>(job.bytes)) == 0, "cannot fallocate");
      write_all(file, bytes, 2 * mib);
    }
    require(std::rename(temporary.c_str(), job.file.c_str()) == 0, "cannot rename");
  });
}

void read_huge(const Job& job) {
  measure(job.bytes, [&] {
    const Descriptor file(job.file, O_RDONLY);
    read_all(file, huge_memory(job.bytes), 8 * mib);
  });
}

void read_vector(const Job& job) {
  measure(job.bytes, [&] {
    const Descriptor file(job.file, O_RDONLY);
    std::vector<char> bytes(job.bytes);
    read_all(file, bytes, 8 * mib);
  });
}

using Block = std::unique_ptr<char[]>;

/// A block whose elements become narrower or wider on their way: every byte is read, through 256
/// KiB that stay in the cache, and as many as the target has are written to it.
void read_converted(int file, std::span<char> target, std::size_t size, std::span<char> buffer) {
  const std::size_t all = size;
  for (std::size_t done = 0; done < all; done += buffer.size()) {
    const std::span<char> piece = buffer.first(std::min(buffer.size(), all - done));
    read_all(file, piece, piece.size());
    std::size_t begin = done * target.size() / all;
    const std::size_t end = (done + piece.size()) * target.size() / all;
    while (begin < end) {
      const std::size_t count = std::min(end - begin, piece.size());
      std::memcpy(target.data() + begin, piece.data(), count);
      begin += count;
    }
  }
}

/// Into blocks from the allocator, as std::vectors of that size have them: those of 1 MiB are too
/// small for huge pages, larger ones have them advised, as this library does.
void read_blocks(const Job& job) {
  std::vector<Block> blocks(job.bytes / job.block);
  std::vector<char> buffer(256 * kib);
  measure(job.bytes / job.block * job.target, [&] {
    const Descriptor file(job.file, O_RDONLY);
    for (Block& block : blocks) {
      block = std::make_unique_for_overwrite<char[]>(job.target);
      advise_huge({block.get(), job.target});
      if (job.block == job.target) read_all(file, {block.get(), job.target}, 8 * mib);
      else read_converted(file, {block.get(), job.target}, job.block, buffer);
    }
  });
}

/// From blocks of the allocator, as many at a time as take 2 MiB.
void write_blocks(const Job& job) {
  std::vector<Block> blocks(job.bytes / job.block);
  for (Block& block : blocks) {
    block = std::make_unique_for_overwrite<char[]>(job.block);
    std::memset(block.get(), 'x', job.block);
  }
  measure(job.bytes, [&] {
    const Descriptor file(job.file, fresh);
    require(fallocate(file, 0, 0, static_cast<off_t>(job.bytes)) == 0, "cannot fallocate");
    if (job.block > 2 * mib) {
      for (const Block& block : blocks) write_all(file, {block.get(), job.block}, 2 * mib);
      return;
    }
    constexpr std::size_t most = 1024;  // IOV_MAX of Linux.
    std::array<iovec, most> vectors{};
    const std::size_t at_once = std::min(most, 2 * mib / job.block);
    for (std::size_t i = 0; i < blocks.size(); i += at_once) {
      const std::size_t count = std::min(at_once, blocks.size() - i);
      for (std::size_t j = 0; j < count; ++j) vectors[j] = {blocks[i + j].get(), job.block};
      const auto wanted = static_cast<ssize_t>(count * job.block);
      require(writev(file, vectors.data(), static_cast<int>(count)) == wanted, "cannot write");
    }
  });
}

/// Memory to memory that nobody touched before: what an in-memory save or load has to do.
void memcpy_fresh(const Job& job) {
  const std::vector<char> bytes = source(job.bytes);
  measure(job.bytes, [&] {
    const std::span<char> target = huge_memory(job.bytes);
    std::memcpy(target.data(), bytes.data(), bytes.size());
    keep(target);
  });
}

void memcpy_touched(const Job& job) {
  const std::vector<char> bytes = source(job.bytes);
  std::vector<char> target = source(job.bytes);
  measure(mib, [&] {
    std::memcpy(target.data(), bytes.data(), bytes.size());
    keep(target);
  });
}

unsigned map_and_touch(const Job& job) {
  const Descriptor file(job.file, O_RDONLY);
  auto* memory =
      static_cast<const char*>(mmap(nullptr, job.bytes, PROT_READ, MAP_PRIVATE, file, 0));
  require(memory != MAP_FAILED, "cannot map");
  unsigned sum = 0;
  for (std::size_t i = 0; i < job.bytes; i += 4 * kib) sum += static_cast<unsigned char>(memory[i]);
  return sum;
}

/// Maps a file and touches every page; how it was written decides what that costs. Once before: see
/// `touch_one` of the worker.
void touch(const Job& job) {
  keep(map_and_touch(job));
  measure(mib, [&] { keep(map_and_touch(job)); });
}

/// Reads columns 1000 to 1100 of a 16384 x 16384 matrix of floats, a row at a time.
void read_columns(const Job& job) {
  constexpr std::size_t rows = 16384;
  constexpr std::size_t row = 16384 * 4;
  measure(16 * mib, [&] {
    const Descriptor file(job.file, O_RDONLY);
    std::vector<char> target(rows * 400);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto offset = static_cast<off_t>(4096 + i * row + 4000);
      require(pread(file, target.data() + i * 400, 400, offset) == 400, "cannot read");
    }
    keep(target);
  });
}

/// To a name that is free: ext4 starts the disk when a rename replaces a file.
void tiny_write(const Job& job) {
  const std::vector<char> bytes = source(job.bytes);
  const std::string temporary = job.file + ".tmp";
  measure_each([&] { unlink(job.file.c_str()); },
               [&] {
                 {
                   const Descriptor file(temporary, fresh);
                   write_all(file, bytes, mib);
                 }
                 require(std::rename(temporary.c_str(), job.file.c_str()) == 0, "cannot rename");
               });
}

void tiny_read(const Job& job) {
  std::vector<char> bytes(job.bytes);
  measure_each([] {},
               [&] {
                 const Descriptor file(job.file, O_RDONLY);
                 require(read(file, bytes.data(), bytes.size()) > 0, "cannot read");
               });
}

struct Action {
  std::string_view name;
  void (*run)(const Job&);
};

constexpr Action actions[] = {
    {"warm", warm},
    {"write", write_plain},
    {"write_fsync", write_fsync},
    {"fallocate_write", fallocate_write},
    {"fallocate_write_rename", fallocate_write_rename},
    {"read_huge", read_huge},
    {"read_vector", read_vector},
    {"read_blocks", read_blocks},
    {"write_blocks", write_blocks},
    {"memcpy_fresh", memcpy_fresh},
    {"memcpy_touched", memcpy_touched},
    {"touch", touch},
    {"read_columns", read_columns},
    {"tiny_write", tiny_write},
    {"tiny_read", tiny_read},
};

}  // namespace

int main(int argc, char** argv) {
  require(argc == 4 || argc == 6, "usage: limits ACTION FILE BYTES [BLOCK TARGET]");
  const std::string_view name = argv[1];
  Job job{.file = argv[2], .bytes = std::stoull(argv[3])};
  if (argc == 6) {
    job.block = std::stoull(argv[4]);
    job.target = std::stoull(argv[5]);
  }
  for (const Action& action : actions) {
    if (action.name != name) continue;
    action.run(job);
    return 0;
  }
  require(false, "limits: unknown action");
}
