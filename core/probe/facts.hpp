// The facts of a survey, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/json.hpp"

namespace banzuke {

class Facts {
 public:
  template <class Value>
  void add(std::string name, const std::optional<Value>& value) {
    if (value) facts_.emplace_back(std::move(name), *value);
  }
  void add(std::string name, Json value) { facts_.emplace_back(std::move(name), std::move(value)); }
  Json::Object take() { return std::move(facts_); }

 private:
  Json::Object facts_;
};

inline std::string joined(const std::set<std::string>& words) {
  std::string out;
  for (const auto& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

inline Json count(std::size_t number) { return static_cast<std::int64_t>(number); }

}  // namespace banzuke
