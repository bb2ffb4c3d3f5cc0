#include "core/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace banzuke {
namespace {

template <class Number>
Number parse_number(const std::string& name, const std::string& text, const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw UsageError(name + ": '" + text + "' is not " + kind);
  }
  return value;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Json value_of(const std::variant<std::int64_t*, double*, std::string*>& target) {
  return std::visit([](auto* pointer) { return Json(*pointer); }, target);
}

}  // namespace

std::string UsageError::remedy() const {
  std::string out;
  for (const auto& choice : nearest_) {
    out += out.empty() ? "Nearest:" : " or";
    for (const auto& [name, value] : choice) {
      std::string text = value.dump();
      std::erase(text, '"');
      out += name == "ranks" ? " " + text + (text == "1" ? " rank" : " ranks") : " " + name + "=" + text;
    }
  }
  if (without_.empty()) return out;
  return out.empty() ? "Leave out " + without_ : out + ", or leave out " + without_;
}

void Parameters::add(std::string name, std::int64_t& target, std::string help, Range range) {
  parameters_.push_back({std::move(name), std::move(help), &target, range, {}, {}});
}

void Parameters::add(std::string name, double& target, std::string help) {
  add(std::move(name), target, std::move(help), RealRange{});
}

void Parameters::add(std::string name, double& target, std::string help, RealRange range) {
  parameters_.push_back({std::move(name), std::move(help), &target, {}, range, {}});
}

void Parameters::add(std::string name, std::string& target, std::string help, std::vector<std::string> choices) {
  parameters_.push_back({std::move(name), std::move(help), &target, {}, {}, std::move(choices)});
}

const Parameters::Parameter* Parameters::find(const std::string& name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  return found == parameters_.end() ? nullptr : &*found;
}

bool Parameters::has(const std::string& name) const { return find(name) != nullptr; }

bool Parameters::given(const std::string& name) const {
  const auto* parameter = find(name);
  return parameter != nullptr && parameter->given;
}

void Parameters::unused(const std::string& name, const std::string& why, std::vector<Json::Object> nearest) {
  if (given(name)) throw UsageError(name + ": " + why, std::move(nearest), name);
  for (auto& parameter : parameters_) parameter.used = parameter.used && parameter.name != name;
}

void Parameters::set(const std::string& name, const std::string& text) {
  for (auto& parameter : parameters_) {
    if (parameter.name != name) continue;
    if (auto** integer = std::get_if<std::int64_t*>(&parameter.target)) {
      const auto value = parse_number<std::int64_t>(name, text, "a whole number");
      if (value < parameter.range.min || value > parameter.range.max) {
        throw UsageError(name + ": " + text + " is outside " + std::to_string(parameter.range.min) + " to " +
                             std::to_string(parameter.range.max),
                         {{{name, std::clamp(value, parameter.range.min, parameter.range.max)}}});
      }
      **integer = value;
    } else if (auto** real = std::get_if<double*>(&parameter.target)) {
      const auto value = parse_number<double>(name, text, "a number");
      if (!std::isfinite(value)) throw UsageError(name + ": '" + text + "' is not a finite number");
      if (value < parameter.real_range.min || value > parameter.real_range.max) {
        throw UsageError(name + ": " + text + " is outside " + Json(parameter.real_range.min).dump() + " to " +
                             Json(parameter.real_range.max).dump(),
                         {{{name, std::clamp(value, parameter.real_range.min, parameter.real_range.max)}}});
      }
      **real = value;
    } else {
      const auto& choices = parameter.choices;
      if (!choices.empty() && std::ranges::find(choices, text) == choices.end()) {
        throw UsageError(name + ": '" + text + "' is none of " + joined(choices));
      }
      *std::get<std::string*>(parameter.target) = text;
    }
    parameter.given = true;
    return;
  }
  throw UsageError("unknown parameter '" + name + "'");
}

Json Parameters::values() const {
  Json out = Json::object();
  for (const auto& parameter : parameters_) {
    if (parameter.used) out.set(parameter.name, value_of(parameter.target));
  }
  return out;
}

Json Parameters::describe() const {
  Json::Array out;
  for (const auto& parameter : parameters_) {
    constexpr std::array types{"integer", "number", "string"};
    Json entry = Json::object({{"name", parameter.name},
                               {"type", types.at(parameter.target.index())},
                               {"help", parameter.help},
                               {"value", value_of(parameter.target)}});
    if (std::holds_alternative<std::int64_t*>(parameter.target)) {
      entry.set("minimum", parameter.range.min);
      entry.set("maximum", parameter.range.max);
    }
    if (std::isfinite(parameter.real_range.min)) entry.set("minimum", parameter.real_range.min);
    if (std::isfinite(parameter.real_range.max)) entry.set("maximum", parameter.real_range.max);
    if (!parameter.choices.empty()) entry.set("choices", Json::array(parameter.choices));
    out.push_back(entry);
  }
  return out;
}

}  // namespace banzuke
