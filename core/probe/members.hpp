// JSON members that are left out if their value is unknown.
#pragma once

#include <optional>

#include "core/json.hpp"

namespace banzuke {

template <class T>
void add(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json.set(name, Json(*value));
}

}  // namespace banzuke
