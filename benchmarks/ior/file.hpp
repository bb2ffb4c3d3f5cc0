// The calls that move the data, implemented by each backend; chosen at link time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/hidden.hpp"
#include "core/storage/descriptor.hpp"
#include "core/storage/work_folder.hpp"
#include "ior.hpp"

namespace banzuke::ior {

// Throws UsageError for what this backend does not support.
void check_backend(const Params& params);

enum class Direction { write, read };

struct Opening {
  const WorkFolder& folder;
  std::string name;
  bool create = false;  // a new file: an existing one is never touched
  Direction direction = Direction::write;

  std::string path() const { return folder.path() + "/" + name; }
};

class File {
 public:
  // Opening and closing a shared file is collective.
  File(const Params& params, const Opening& opening);

  // One transfer. It may still be in flight on return, and fail later: the memory must stay valid until wait().
  void write(const std::byte* data, std::int64_t offset);
  void read(std::byte* data, std::int64_t offset);
  // Waits for transfers whose data begins in this memory; without an argument, for all.
  void wait(std::span<const std::byte> memory);
  void wait();
  void sync();
  void close();

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Opens like POSIX, but never follows links.
Descriptor open_file(const Params& params, const Opening& opening);
// `cannot write 4096 bytes at byte 0 of /scratch/.banzuke-ior-1/bz.3`
std::string attempted(const char* verb, std::int64_t size, std::int64_t offset, const std::string& name);

}  // namespace banzuke::ior
