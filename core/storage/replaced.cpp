#include "core/storage/replaced.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace banzuke {
namespace {

// The C library itself; libpthread had some of the calls before glibc 2.34, and sanitizers forward calls.
constexpr std::array trusted{"libc.", "libc-", "libpthread", "ld-", "libasan", "libtsan", "libubsan", "liblsan"};

bool is_trusted(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(trusted, [&](const char* start) { return name.starts_with(start); });
}

}  // namespace

std::vector<std::string> replaced(std::span<const char* const> functions) {
  std::vector<std::string> out;
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&replaced), &own);
  for (const char* function : functions) {
    const void* found = dlsym(RTLD_DEFAULT, function);
    Dl_info info{};
    if (found == nullptr || dladdr(found, &info) == 0 || info.dli_fname == nullptr) continue;
    // A function in our own program is a sanitizer's, or everything is statically linked.
    if (info.dli_fbase != own.dli_fbase && !is_trusted(info.dli_fname)) {
      out.push_back(std::string(function) + ": " + info.dli_fname);
    }
  }
  return out;
}

}  // namespace banzuke
