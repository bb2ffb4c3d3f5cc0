// The kernel's small files of text. Any may be missing, refuse to be read, vanish meanwhile or hold something else:
// then there is no value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke::files {

using Path = std::filesystem::path;

// The whole file, at most `most` bytes of it.
std::optional<std::string> contents(const Path& file, std::size_t most);
// The first line without blanks around it; none if that is empty.
std::optional<std::string> line(const Path& file);
// The number that the text or the first line begins with: 16 of `16.0 GT/s PCIe`. Finite.
std::optional<double> leading_number(std::string_view text);
std::optional<double> number(const Path& file);
// Names in a folder that begin so, in the order of their numbers (`cpu2` before `cpu10`).
std::vector<std::string> names(const Path& folder, std::string_view prefix = "");

}  // namespace banzuke::files
