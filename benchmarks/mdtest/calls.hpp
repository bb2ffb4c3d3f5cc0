// The timed calls, for each file system interface; chosen at link time. Paths are relative to a descriptor of the work
// folder. All return 0 or errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace banzuke::mdtest {

enum class Kind { directory, file, other };

struct Entry {
  Kind kind = Kind::other;
  std::int64_t bytes = 0;
};

int make_directory(int folder, const char* path);
int rename_directory(int folder, const char* from, const char* to);
int remove_directory(int folder, const char* path);
// Creates a new file with these contents; with `synchronise`, returns when they are on the storage.
int create_file(int folder, const char* path, std::span<const std::byte> contents, bool synchronise);
// Opens, reads as much as the span holds, and closes. ENODATA if the file is shorter.
int read_file(int folder, const char* path, std::span<std::byte> contents);
int remove_file(int folder, const char* path);
int status(int folder, const char* path, Entry& entry);

}  // namespace banzuke::mdtest
