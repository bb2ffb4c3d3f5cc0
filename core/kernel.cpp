#include <fstream>
#include <string>

#include "core/communicator.hpp"

namespace banzuke {

std::string Communicator::kernel() {
  std::string id;
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  return std::getline(in, id) && !id.empty() ? id : host();
}

}  // namespace banzuke
