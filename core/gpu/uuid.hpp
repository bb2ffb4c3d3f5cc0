// A UUID in the form that NVML and CUDA_VISIBLE_DEVICES use.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace banzuke::gpu {

using Uuid = std::array<char, 16>;

inline std::string text(const Uuid& uuid) {
  constexpr std::array dashes{4U, 6U, 8U, 10U};
  std::string out;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    for (const auto dash : dashes) out += i == dash ? "-" : "";
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid[i]));
    out += digits.data();
  }
  return out;
}

}  // namespace banzuke::gpu
