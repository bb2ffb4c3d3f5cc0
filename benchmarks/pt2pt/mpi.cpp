// The backend for messages in host memory only.
#include "buffers.hpp"

namespace banzuke::pt2pt {

std::vector<std::string> buffer_kinds() { return {"host"}; }

std::unique_ptr<Buffers> make_buffers(const Params& params, bool /*first*/) { return make_host_buffers(params); }

}  // namespace banzuke::pt2pt
