#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "text_lines.hpp"

namespace banzuke::spmv {
namespace {

enum class Symmetry { general, symmetric, skew };

struct Header {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  bool pattern = false;
  Symmetry symmetry = Symmetry::general;
};

struct Entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

// All entries in the file's order. It grows in blocks without copying, so that it never takes twice its size.
class Entries {
 public:
  void push_back(const Entry& entry) {
    if (blocks_.empty() || blocks_.back().size() == block) blocks_.emplace_back().reserve(block);
    blocks_.back().push_back(entry);
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& entries : blocks_) {
      for (const Entry& entry : entries) visit(entry);
    }
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 16U;
  std::vector<std::vector<Entry>> blocks_;
};

// ------------------------------------------------------------------------------------------------------------- words

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

void skip_blanks(std::string_view& text) {
  std::size_t blanks = 0;
  while (blanks < text.size() && blank(text[blanks])) ++blanks;
  text.remove_prefix(blanks);
}

// Returns the next word in lower case; empty at the end.
std::string word(std::string_view& text) {
  skip_blanks(text);
  std::string out;
  for (; !text.empty() && !blank(text.front()); text.remove_prefix(1)) {
    const char c = text.front();
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool whole(std::string_view& text, std::int64_t& value) {
  skip_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(index(end - text.data()));
  return error == std::errc() && (text.empty() || blank(text.front()));
}

bool real(std::string_view& text, double& value) {
  skip_blanks(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // strtod returns 0 for too small numbers and infinity for too large ones; from_chars does not say which it is.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  text.remove_prefix(index(end - text.data()));
  return error != std::errc::invalid_argument;
}

// Returns the line in a form that is safe to display.
std::string in_quotes(std::string_view line) {
  constexpr std::size_t shown = 60;
  std::string out = "'";
  for (const char c : line.substr(0, shown)) {
    if (c != '\r') out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + (line.size() > shown ? "...'" : "'");
}

// Reads the next line that is neither blank nor a comment; returns whether there is one.
bool next_content(TextLines& lines, std::string_view& line) {
  while (lines.next(line)) {
    std::string_view rest = line;
    skip_blanks(rest);
    if (!rest.empty() && rest.front() != '%') return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------------------ header

struct Beginning {
  std::string_view bytes;
  const char* what;
};

using std::string_view_literals::operator""sv;
constexpr std::array beginnings{
    Beginning{"\xEF\xBB\xBF"sv,
              "a text with a byte order mark (BOM) before it; without its first three bytes it may be one"},
    Beginning{"\xFF\xFE"sv, "a text in UTF-16, with a byte order mark (BOM)"},
    Beginning{"\xFE\xFF"sv, "a text in UTF-16, with a byte order mark (BOM)"},
    Beginning{"MATLAB 5.0"sv, "a file of MATLAB's; scipy.io.loadmat and mmwrite convert it"},
    Beginning{"\x89HDF"sv, "a file of HDF5 or of MATLAB 7.3"},
    Beginning{"PK\x03\x04"sv, "a zip archive; unpack it"},
    Beginning{"BZh"sv, "compressed by bzip2; unpack it"},
    Beginning{"\xFD"
              "7zXZ"sv,
              "compressed by xz; unpack it"},
    Beginning{"version https://git-lfs"sv, "a pointer to a file that git-lfs keeps; fetch it with `git lfs pull`"},
    Beginning{"<"sv, "a page of HTML or XML, as a download that failed leaves it"},
};

// Returns whether this is the line of sizes of a Harwell-Boeing file: RUA, rsa, PUA ..., then integers.
bool has_harwell_boeing_type(std::string_view line) {
  const std::string type = word(line);
  std::int64_t rows = 0;
  const auto is_of = [](char c, std::string_view letters) { return letters.find(c) != std::string_view::npos; };
  return type.size() == 3 && is_of(type[0], "rcpiq") && is_of(type[1], "suhzr") && is_of(type[2], "ae") &&
         whole(line, rows);
}

// Returns what kind of file this is that has no banner; empty if unknown.
std::string kind_of(TextLines& lines, const std::string& first) {
  for (const auto& [bytes, what] : beginnings) {
    if (first.starts_with(bytes)) return what;
  }
  constexpr std::size_t magic_of_tar = 257;
  if (first.find("ustar") == magic_of_tar) return "a tar archive; unpack it";
  std::string_view line;
  if (lines.next(line) && lines.next(line) && has_harwell_boeing_type(line)) {
    return "a Harwell-Boeing or Rutherford-Boeing file; scipy.io.hb_read and mmwrite convert it";
  }
  return "";
}

[[noreturn]] void refuse_banner(TextLines& lines, std::string_view line) {
  const std::string first(line);
  const std::string begins = "it begins " + in_quotes(first) + ", not '%%MatrixMarket matrix ...'";
  std::string kind;
  try {
    kind = kind_of(lines, first);
  } catch (const std::runtime_error&) {
    kind.clear();  // the rest cannot be read
  }
  lines.fail("this is no Matrix Market file" + (kind.empty() ? ": " + begins : " but " + kind + "; " + begins), 1);
}

void read_banner(TextLines& lines, std::string_view line, Header& header) {
  std::string_view rest = line;
  if (word(rest) != "%%matrixmarket") refuse_banner(lines, line);
  const std::string object = word(rest);
  const std::string format = word(rest);
  const std::string field = word(rest);
  const std::string symmetry = word(rest);
  if (object != "matrix") lines.refuse("the file holds no matrix: " + in_quotes(line));
  if (format == "array") lines.refuse("the matrix is dense ('array'); sparse ones are 'coordinate'");
  if (format != "coordinate") lines.fail("a matrix is 'coordinate' or 'array': " + in_quotes(line));
  if (field == "complex") lines.refuse("the matrix is complex; only real ones are multiplied here");
  if (field != "real" && field != "double" && field != "integer" && field != "unsigned-integer" && field != "pattern") {
    lines.fail("values are 'real', 'integer' or 'pattern': " + in_quotes(line));
  }
  header.pattern = field == "pattern";
  if (symmetry == "general") {
    header.symmetry = Symmetry::general;
  } else if (symmetry == "symmetric") {
    header.symmetry = Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric" && !header.pattern) {
    header.symmetry = Symmetry::skew;
  } else {
    lines.fail("a " + field + " matrix is 'general', 'symmetric'" + (header.pattern ? "" : " or 'skew-symmetric'") +
               ": " + in_quotes(line));
  }
}

Header read_header(TextLines& lines) {
  Header header;
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file is empty");
  read_banner(lines, line, header);
  if (!next_content(lines, line))
    lines.fail("the file ends before the line of its numbers of rows, columns and entries");
  std::string_view rest = line;
  if (!whole(rest, header.rows) || !whole(rest, header.columns) || !whole(rest, header.entries) ||
      !word(rest).empty() || header.rows < 0 || header.columns < 0 || header.entries < 0) {
    lines.fail("the numbers of rows, columns and entries must be three whole numbers, none negative: " +
               in_quotes(line));
  }
  const std::int64_t longer = std::max(header.rows, header.columns);
  if (longer > std::numeric_limits<std::int32_t>::max()) {
    lines.fail("more than 2147483647 rows or columns, but columns are 32-bit numbers here: " + in_quotes(line));
  }
  if (header.symmetry != Symmetry::general && header.rows != header.columns) {
    lines.fail("a symmetric matrix has as many rows as columns: " + in_quotes(line));
  }
  constexpr std::int64_t shortest = 4;  // "1 1" and its line feed
  if (header.entries > lines.most_bytes() / shortest) {
    lines.fail("the file is too short to hold " + std::to_string(header.entries) + " entries: " + in_quotes(line));
  }
  // Bounds the memory for rows and columns by the amount of data in the file.
  if (longer > 1'000'000 + 100 * header.entries) {
    lines.fail("so many rows or columns for so few entries; is the line damaged? " + in_quotes(line));
  }
  return header;
}

// ----------------------------------------------------------------------------------------------------------- entries

Entry read_entry(const TextLines& lines, const Header& header, std::string_view line) {
  std::string_view rest = line;
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 1.0;
  bool sound = whole(rest, row) && whole(rest, column) && (header.pattern || real(rest, value));
  skip_blanks(rest);
  sound = sound && rest.empty();
  if (!sound) {
    lines.fail(std::string("an entry is ROW COLUMN") + (header.pattern ? "" : " VALUE") + ", not " + in_quotes(line));
  }
  if (row < 1 || row > header.rows || column < 1 || column > header.columns) {
    lines.fail("row " + std::to_string(row) + ", column " + std::to_string(column) + " is outside the matrix of " +
               std::to_string(header.rows) + " x " + std::to_string(header.columns));
  }
  if (!std::isfinite(value)) lines.fail("the value is not a finite number of double precision: " + in_quotes(line));
  if (header.symmetry == Symmetry::skew && row == column && value != 0.0) {
    lines.fail("a skew-symmetric matrix has zeros on its diagonal: " + in_quotes(line));
  }
  return {static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), value};
}

Entries read_entries(TextLines& lines, const Header& header) {
  Entries entries;
  std::int64_t count = 0;
  bool below = false;
  bool above = false;
  for (std::string_view line; next_content(lines, line); ++count) {
    if (count == header.entries) lines.fail("more entries than the " + std::to_string(count) + " announced");
    const Entry entry = read_entry(lines, header, line);
    below = below || entry.row > entry.column;
    above = above || entry.row < entry.column;
    if (below && above && header.symmetry != Symmetry::general) {
      lines.fail("entries on both sides of the diagonal; a symmetric matrix is given by one of them");
    }
    entries.push_back(entry);
  }
  if (count < header.entries) {
    lines.fail("the file ends after " + std::to_string(count) + " of " + std::to_string(header.entries) + " entries");
  }
  return entries;
}

// Returns the entries sorted by row (by counting sort), within a row in the file's order.
Crs by_rows(const Header& header, const Entries& entries) {
  const bool mirrored = header.symmetry != Symmetry::general;
  const double sign = header.symmetry == Symmetry::skew ? -1.0 : 1.0;
  const auto each = [&](const auto& visit) {
    entries.each([&](const Entry& entry) {
      visit(entry);
      if (mirrored && entry.row != entry.column) visit(Entry{entry.column, entry.row, sign * entry.value});
    });
  };
  Crs matrix{.rows = header.rows, .columns = header.columns, .start = {}, .column = {}, .value = {}};
  // Shifted by one: start[row + 1] is where the row begins, and moves to its end while the row is filled.
  matrix.start.resize(index(header.rows) + 2);
  each([&](const Entry& entry) { ++matrix.start[index(entry.row) + 2]; });
  std::partial_sum(matrix.start.begin(), matrix.start.end(), matrix.start.begin());
  matrix.column.resize(index(matrix.start.back()));
  matrix.value.resize(index(matrix.start.back()));
  each([&](const Entry& entry) {
    const auto place = index(matrix.start[index(entry.row) + 1]++);
    matrix.column[place] = entry.column;
    matrix.value[place] = entry.value;
  });
  matrix.start.pop_back();
  return matrix;
}

// Sorts a row and adds up duplicate entries; returns the new end.
std::int64_t sort_row(Crs& matrix, std::int64_t begin, std::int64_t end,
                      std::vector<std::pair<std::int32_t, double>>& row) {
  row.clear();
  for (std::int64_t i = begin; i < end; ++i) row.emplace_back(matrix.column[index(i)], matrix.value[index(i)]);
  std::ranges::stable_sort(row, {}, &std::pair<std::int32_t, double>::first);  // stable: sums depend only on the file
  std::int64_t to = begin;
  for (const auto& [column, value] : row) {
    if (to > begin && matrix.column[index(to - 1)] == column) {
      matrix.value[index(to - 1)] += value;
    } else {
      matrix.column[index(to)] = column;
      matrix.value[index(to)] = value;
      ++to;
    }
  }
  return to;
}

void sort_rows(Crs& matrix) {
  std::vector<std::pair<std::int32_t, double>> scratch;
  std::int64_t to = 0;
  std::int64_t begin = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t filled = matrix.start[index(row) + 1];
    const auto columns = std::span(matrix.column).subspan(index(begin), index(filled - begin));
    const bool sorted = std::ranges::adjacent_find(columns, std::ranges::greater_equal{}) == columns.end();
    const std::int64_t end = sorted ? filled : sort_row(matrix, begin, filled, scratch);
    if (to != begin) {
      std::copy(matrix.column.begin() + begin, matrix.column.begin() + end, matrix.column.begin() + to);
      std::copy(matrix.value.begin() + begin, matrix.value.begin() + end, matrix.value.begin() + to);
    }
    to += end - begin;
    matrix.start[index(row) + 1] = to;
    begin = filled;
  }
  matrix.column.resize(index(to));
  matrix.value.resize(index(to));
}

}  // namespace

Crs read_matrix_market(const std::string& path) {
  TextLines lines(path);
  const Header header = read_header(lines);
  Crs matrix = by_rows(header, read_entries(lines, header));
  sort_rows(matrix);
  return matrix;
}

double footprint_of_file(const std::string& path) {
  TextLines lines(path);
  const Header header = read_header(lines);
  const double stored = header.symmetry == Symmetry::general ? 1.0 : 2.0;
  return (sizeof(Entry) + 12.0 * stored) * static_cast<double>(header.entries) +
         8.0 * static_cast<double>(header.rows + 2);
}

}  // namespace banzuke::spmv
