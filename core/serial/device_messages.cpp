#include "core/device_messages.hpp"

namespace banzuke {

std::string no_device_messages(const std::string& /*platform*/) { return {}; }
void require_device_messages(const std::string& /*platform*/, const std::string& /*option*/) {}

}  // namespace banzuke
