#include "core/backend.hpp"

namespace banzuke {

const char* const backend_name = BANZUKE_BACKEND;
const char* const backend_devices = BANZUKE_DEVICES;

}  // namespace banzuke
