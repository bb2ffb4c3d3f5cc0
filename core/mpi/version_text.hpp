// The name and version by which an MPI library calls itself.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace banzuke {

// Returns the first line of what MPI_Get_library_version wrote. Some libraries count a final NUL, and Open MPI appends
// its build after a comma.
inline std::string version_text(const std::string& all) {
  std::istringstream words(all.substr(0, all.find_first_of(std::string_view("\n,\0", 3))));
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace banzuke
