#include "file.hpp"

#include <fcntl.h>

namespace banzuke::ior {

Descriptor open_file(const Params& params, const Opening& opening) {
  int flags = O_NOFOLLOW | O_CLOEXEC | (opening.direction == Direction::read ? O_RDONLY : O_WRONLY);
  if (opening.create) flags |= O_CREAT | O_EXCL;
  if (params.direct()) flags |= O_DIRECT;
  Descriptor out(openat(opening.folder.descriptor(), opening.name.c_str(), flags, 0600));
  if (!out) {
    const int why = errno;
    const std::string refused =
        why == EINVAL && params.direct() ? " past the page cache (the file system may not allow access=direct)" : "";
    throw_errno((opening.create ? "make " : "open ") + opening.path() + refused, why);
  }
  return out;
}

std::string attempted(const char* verb, std::int64_t size, std::int64_t offset, const std::string& name) {
  return std::string(verb) + " " + std::to_string(size) + " bytes at byte " + std::to_string(offset) + " of " + name;
}

}  // namespace banzuke::ior
