#include "files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/storage/descriptor.hpp"

namespace banzuke::files {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Compares two names; digits are compared by length first, so that numbers are in numerical order.
bool before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); };
  while (!a.empty() && !b.empty()) {
    const auto in_a = digits(a);
    const auto in_b = digits(b);
    if (in_a > 0 && in_b > 0 && in_a != in_b) return in_a < in_b;
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

}  // namespace

std::optional<std::string> contents(const Path& file, std::size_t most) {
  const Descriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!in) return std::nullopt;
  std::string text(most, '\0');
  std::size_t used = 0;
  while (used < most) {
    const ssize_t some = read(in.get(), text.data() + used, most - used);
    if (some < 0) return std::nullopt;
    if (some == 0) break;
    used += static_cast<std::size_t>(some);
  }
  text.resize(used);
  return text;
}

std::optional<std::string> line(const Path& file) {
  constexpr std::size_t page = 4096;  // maximum size of a sysfs file
  const auto text = contents(file, page);
  if (!text) return std::nullopt;
  const auto first = trimmed(std::string_view(*text).substr(0, text->find('\n')));
  if (first.empty()) return std::nullopt;
  return std::string(first);
}

std::optional<double> leading_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> number(const Path& file) {
  const auto text = line(file);
  return text ? leading_number(*text) : std::nullopt;
}

std::vector<std::string> names(const Path& folder, std::string_view prefix) {
  std::vector<std::string> found;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    if (auto name = entry->path().filename().string(); name.starts_with(prefix)) found.push_back(std::move(name));
  }
  std::ranges::sort(found, before);
  return found;
}

}  // namespace banzuke::files
