#pragma once

#include <sys/utsname.h>

#include <string>

namespace banzuke {

// This host's name as MPI libraries report it; the probe does not start MPI.
inline std::string host_name() {
  utsname name{};
  uname(&name);
  return name.nodename;
}

}  // namespace banzuke
