#pragma once

#include <sys/utsname.h>

#include <string>

namespace banzuke {

// As MPI libraries call this host, which the probe does not start.
inline std::string host_name() {
  utsname name{};
  uname(&name);
  return name.nodename;
}

}  // namespace banzuke
