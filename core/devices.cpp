#include "core/devices.hpp"

#include <algorithm>
#include <utility>

namespace banzuke {
namespace {

GivenDevices given;
std::vector<std::string> used;

}  // namespace

const GivenDevices& given_devices() { return given; }
void give_devices(GivenDevices devices) { given = std::move(devices); }

void uses_device(const std::string& identity) {
  if (std::ranges::find(used, identity) == used.end()) used.push_back(identity);
}
const std::vector<std::string>& used_devices() { return used; }

}  // namespace banzuke
