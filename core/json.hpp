// JSON values for writing records: keeps insertion order; numbers are written in the shortest form that reads back
// equal.
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
  using Integers = std::vector<std::int64_t>;  // takes a fifth of the memory of an Array
  using Object = std::vector<std::pair<std::string, Json>>;

  // Not inline: every program builds large objects, and inlined these take as long to compile as the rest.
  Json();  // null
  Json(bool value);
  Json(int value);
  Json(std::int64_t value);
  Json(double value);  // not finite: written as null
  Json(const char* value);
  Json(std::string value);
  Json(Array value);
  Json(Integers value);
  Json(Object value);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {});

  template <class Range>
  static Json array(const Range& values) {
    Array items;
    for (const auto& value : values) items.emplace_back(value);
    return items;
  }

  // Adds a member; the value must be an object.
  void set(std::string name, Json value);

  std::string dump() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Integers, Object> value_;
};

}  // namespace banzuke
