#include "core/loaded.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <string_view>

namespace banzuke {

std::string named_library() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("BANZUKE_") || name == "BANZUKE_BLAS" || name.size() == text.size()) continue;
    const char* path = *entry + name.size() + 1;
    if (std::string_view(path).find(".so") == std::string_view::npos) continue;
    void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const link_map* loaded = nullptr;
    const bool known = dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&loaded)) == 0;
    std::string found = known ? loaded->l_name : "";
    dlclose(library);  // the reference that was just taken
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace banzuke
