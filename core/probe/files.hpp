// The kernel's small text files. Any may be missing, unreadable, vanish meanwhile or hold something unexpected: then
// there is no value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke::files {

using Path = std::filesystem::path;

// The whole file, but at most `most` bytes.
std::optional<std::string> contents(const Path& file, std::size_t most);
// The first line without surrounding blanks; none if that is empty.
std::optional<std::string> line(const Path& file);
// The number at the start of the text or of the first line: 16 in `16.0 GT/s PCIe`. Always finite.
std::optional<double> leading_number(std::string_view text);
std::optional<double> number(const Path& file);
// Names in a folder that begin with `prefix`, in numerical order (`cpu2` before `cpu10`).
std::vector<std::string> names(const Path& folder, std::string_view prefix = "");

}  // namespace banzuke::files
