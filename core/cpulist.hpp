// The kernel's list format for sets of processors and ranks: "0-3,8"; "0-9:2/4", the first two of every four, is
// 0,1,4,5,8,9.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

// Returns them ascending, without duplicates; throws UsageError if the text does not have this format.
std::vector<int> parse_list(const std::string& text);
// `values` may be in any order.
std::string format_list(std::vector<int> values);
// Parts of `text` between separators.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace banzuke
