#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "calls.hpp"

namespace banzuke::mdtest {
namespace {

constexpr mode_t folder_mode = 0700;
constexpr mode_t file_mode = 0600;

int code(int result) { return result == 0 ? 0 : errno; }

// Transfers the whole span by `transfer`, which may do a part of it per call. Returns 0 or errno.
template <class Span, class Transfer>
int all_of(Span rest, Transfer transfer) {
  while (!rest.empty()) {
    const ssize_t part = transfer(rest.data(), rest.size());
    if (part == 0) return ENODATA;
    if (part > 0) {
      rest = rest.subspan(static_cast<std::size_t>(part));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Closes the file and returns the first error, of the transfer or of closing, which reports some lost writes.
int closed(int file, int error) {
  const int closing = code(close(file));
  return error != 0 ? error : closing;
}

}  // namespace

int make_directory(int folder, const char* path) { return code(mkdirat(folder, path, folder_mode)); }

int rename_directory(int folder, const char* from, const char* to) { return code(renameat(folder, from, folder, to)); }

int remove_directory(int folder, const char* path) { return code(unlinkat(folder, path, AT_REMOVEDIR)); }

int create_file(int folder, const char* path, std::span<const std::byte> contents, bool synchronise) {
  const int file = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode);
  if (file < 0) return errno;
  int error = all_of(contents, [&](const std::byte* data, std::size_t size) { return write(file, data, size); });
  if (error == 0 && synchronise) error = code(fsync(file));
  return closed(file, error);
}

int read_file(int folder, const char* path, std::span<std::byte> contents) {
  const int file = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return errno;
  return closed(file, all_of(contents, [&](std::byte* data, std::size_t size) { return read(file, data, size); }));
}

int remove_file(int folder, const char* path) { return code(unlinkat(folder, path, 0)); }

int status(int folder, const char* path, Entry& entry) {
  struct stat found{};
  if (fstatat(folder, path, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  entry.kind = S_ISREG(found.st_mode) ? Kind::file : S_ISDIR(found.st_mode) ? Kind::directory : Kind::other;
  entry.bytes = found.st_size;
  return 0;
}

}  // namespace banzuke::mdtest
