// JSON values for writing records: insertion order kept, numbers as short as they read back equal.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace banzuke {

class Json {
 public:
  using Array = std::vector<Json>;
  using Integers = std::vector<std::int64_t>;  // a fifth of the memory of such an Array
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}  // not finite: written as null
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Integers value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {}) { return Object(members); }

  template <class Range>
  static Json array(const Range& values) {
    Array items;
    for (const auto& value : values) items.emplace_back(value);
    return items;
  }

  // Adds a member; the value must be an object.
  void set(std::string name, Json value) { std::get<Object>(value_).emplace_back(std::move(name), std::move(value)); }

  std::string dump() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Integers, Object> value_;
};

}  // namespace banzuke
