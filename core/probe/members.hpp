// Members of JSON objects that are left out where nothing is known.
#pragma once

#include <optional>

#include "core/json.hpp"

namespace banzuke {

template <class T>
void add(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json.set(name, Json(*value));
}

}  // namespace banzuke
