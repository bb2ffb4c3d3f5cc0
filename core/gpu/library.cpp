#include "core/gpu/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

#include "core/gpu/device.hpp"

namespace banzuke::gpu {

Library::Library(const char* variable, std::initializer_list<const char*> names, const std::string& package) {
  std::string why;
  const auto open = [&](const char* name) {
    // Never unloaded: a vendor's library has code on the device, which would be unloaded and reloaded with each object
    // that uses it.
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle_ == nullptr && why.empty()) why = dlerror();
    return handle_ != nullptr;
  };
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') {
    open(named);
  } else {
    for (const char* name : names) {
      if (open(name)) break;
    }
  }
  if (handle_ == nullptr) {
    throw Error("cannot load " + std::string(*names.begin()) + ": " + why + ". " + package +
                ", load its module, or set " + variable + " to the path of the library");
  }
  const link_map* loaded = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&loaded)) == 0) path_ = loaded->l_name;
}

Library::~Library() { dlclose(handle_); }

void* Library::find(const char* name) const {
  void* function = dlsym(handle_, name);
  if (function == nullptr) throw Error(path_ + " has no " + name + ": it is another version");
  return function;
}

void called(int status, const char* function) {
  if (status != 0) throw Error(std::string(function) + " failed with status " + std::to_string(status));
}

}  // namespace banzuke::gpu
