#include "core/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace banzuke {
namespace {

// Invalid UTF-8 would make the whole record unreadable, so each invalid byte becomes U+FFFD.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void write_string(std::string_view text, std::string& out) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const char c = text[i];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += hex[static_cast<unsigned char>(c) >> 4U];
      out += hex[static_cast<unsigned char>(c) & 0xFU];
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  out += '"';
}

template <class Number>
void write_number(Number value, std::string& out) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

struct Writer {
  std::string& out;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { write_number(value, out); }
  void operator()(double value) const {
    if (std::isfinite(value)) {
      write_number(value, out);
    } else {
      out += "null";
    }
  }
  void operator()(const std::string& value) const { write_string(value, out); }
  void operator()(const Json::Array& items) const {
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      out += items[i].dump();
    }
    out += ']';
  }
  void operator()(const Json::Integers& items) const {
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      write_number(items[i], out);
    }
    out += ']';
  }
  void operator()(const Json::Object& members) const {
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      write_string(members[i].first, out);
      out += ':';
      out += members[i].second.dump();
    }
    out += '}';
  }
};

}  // namespace

Json::Json() = default;
Json::Json(bool value) : value_(value) {}
Json::Json(int value) : value_(static_cast<std::int64_t>(value)) {}
Json::Json(std::int64_t value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(Array value) : value_(std::move(value)) {}
Json::Json(Integers value) : value_(std::move(value)) {}
Json::Json(Object value) : value_(std::move(value)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) { return Object(members); }

void Json::set(std::string name, Json value) {
  std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
}

std::string Json::dump() const {
  std::string out;
  std::visit(Writer{out}, value_);
  return out;
}

}  // namespace banzuke
