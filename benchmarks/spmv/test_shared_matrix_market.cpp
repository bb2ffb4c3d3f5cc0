#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "matrix_market.hpp"

namespace banzuke::spmv {
namespace {

namespace fs = std::filesystem;

// Returns the text in gzip's format, without compression (RFC 1952, 1951).
std::string gzip(const std::string& text) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const auto put = [&](std::uint32_t value, int bytes) {
    for (int byte = 0; byte < bytes; ++byte, value >>= 8U) out += static_cast<char>(value & 0xFFU);
  };
  constexpr std::size_t most = 65535;
  for (std::size_t at = 0; at == 0 || at < text.size(); at += most) {
    const std::string block = text.substr(at, most);
    out += at + most >= text.size() ? '\1' : '\0';  // whether it is the last block
    put(static_cast<std::uint32_t>(block.size()), 2);
    put(~static_cast<std::uint32_t>(block.size()), 2);
    out += block;
  }
  std::uint32_t sum = ~0U;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  put(~sum, 4);
  put(static_cast<std::uint32_t>(text.size()), 4);
  return out;
}

class MatrixMarket : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "banzuke-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& text, const std::string& name = "a.mtx") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string gzipped(const std::string& text, const std::string& name = "a.mtx.gz") const {
    return file(gzip(text), name);
  }
  Crs read(const std::string& text) const { return read_matrix_market(file(text)); }

  // Expects that the reader refuses the file, and that footprint_of_file() gives the same message if it refuses it,
  // too.
  static void expect_refused(const std::string& path, const std::string& where, const std::string& why) {
    for (const bool whole : {true, false}) {
      try {
        if (whole) {
          read_matrix_market(path);
        } else {
          footprint_of_file(path);
        }
        if (whole) FAIL() << "no error, though " << why;
      } catch (const std::runtime_error& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with(path + where + ": ")) << what;
        EXPECT_NE(what.find(why), std::string::npos) << what;
      }
    }
  }
  // `where`: ":LINE".
  void expect_error(const std::string& text, const std::string& where, const std::string& why) const {
    expect_refused(file(text), where, why);
    expect_refused(gzipped(text), where, why);
  }
  void expect_entry_error(const std::string& entry, const std::string& why) const {
    expect_error("%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 1\n" + entry + "\n", ":4", why);
  }

  const std::string real = "%%MatrixMarket matrix coordinate real general\n";

  //  1.5  .   -2
  //   .   .    .
  //   .  1e3  .25
  const std::string small = real + "3 3 4\n1 1 1.5\n1 3 -2\n3 2 1e3\n3 3 .25\n";
  const Crs small_crs{
      .rows = 3, .columns = 3, .start = {0, 2, 2, 4}, .column = {0, 2, 1, 2}, .value = {1.5, -2.0, 1000.0, 0.25}};

  fs::path folder_;
};

void expect_equal(const Crs& a, const Crs& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.value, b.value);
}

// ------------------------------------------------------------------------------------------------------ what is read

TEST_F(MatrixMarket, ReadsRealMatrices) { expect_equal(read(small), small_crs); }

TEST_F(MatrixMarket, SortsWhatIsInAnyOrder) {
  expect_equal(read(real + "3 3 4\n3 3 .25\n1 3 -2\n3 2 1e3\n1 1 1.5\n"), small_crs);
}

TEST_F(MatrixMarket, PassesOverCommentsBlanksAndLineEnds) {
  expect_equal(read("%%matrixmarket  MATRIX Coordinate\tREAL General \r\n% a comment\r\n%\r\n\r\n  3 3\t4  \r\n\r\n"
                    "1 1 1.5\r\n% another\r\n  1   3 -2 \r\n   \r\n3 2 +1E3\r\n3 3 .25"),
               small_crs);
}

TEST_F(MatrixMarket, ReadsWholeNumbersAndPatterns) {
  const Crs integers = read("%%MatrixMarket matrix coordinate integer general\n1 3 2\n1 2 -7\n1 3 12345678901234567\n");
  EXPECT_EQ(integers.value, (std::vector{-7.0, 12345678901234567.0}));
  const Crs ones = read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 2\n2 3\n");
  EXPECT_EQ(ones.value, (std::vector{1.0, 1.0}));
  EXPECT_EQ(ones.column, (std::vector{1, 2}));
}

TEST_F(MatrixMarket, MirrorsSymmetricMatrices) {
  const Crs expected{
      .rows = 3, .columns = 3, .start = {0, 2, 4, 6}, .column = {0, 2, 1, 2, 0, 1}, .value = {4, 5, 6, 7, 5, 7}};
  const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n";
  expect_equal(read(banner + "1 1 4\n3 1 5\n2 2 6\n3 2 7\n"), expected);
  expect_equal(read(banner + "2 3 7\n1 3 5\n2 2 6\n1 1 4\n"), expected);  // given by the upper triangle
  const Crs pattern = read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
  EXPECT_EQ(pattern.column, (std::vector{1, 0}));
}

TEST_F(MatrixMarket, MirrorsSkewSymmetricMatricesWithTheSignChanged) {
  const Crs matrix = read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -6\n");
  EXPECT_EQ(matrix.column, (std::vector{1, 0, 2, 1}));
  EXPECT_EQ(matrix.value, (std::vector{-5.0, 5.0, 6.0, -6.0}));
}

TEST_F(MatrixMarket, AddsUpDuplicates) {
  const Crs matrix = read(real + "3 3 6\n3 1 1\n1 3 1\n1 3 2\n3 2 9\n1 1 4\n1 3 8\n");
  expect_equal(
      matrix, {.rows = 3, .columns = 3, .start = {0, 2, 2, 4}, .column = {0, 2, 0, 1}, .value = {4.0, 11.0, 1.0, 9.0}});
  const Crs mirrored = read("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n2 1 1\n2 2 3\n2 1 2\n");
  EXPECT_EQ(mirrored.start, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(mirrored.value, (std::vector{3.0, 3.0, 3.0}));
}

TEST_F(MatrixMarket, KeepsExplicitZerosAndTheSmallestNumbers) {
  const Crs matrix = read(real + "1 4 4\n1 1 0\n1 2 -0\n1 3 1e-400\n1 4 4.9e-324\n");
  EXPECT_EQ(matrix.value, (std::vector{0.0, 0.0, 0.0, 4.9e-324}));
}

TEST_F(MatrixMarket, ReadsMatricesOfNothing) {
  expect_equal(read(real + "0 0 0\n"), {.rows = 0, .columns = 0, .start = {0}, .column = {}, .value = {}});
  expect_equal(read(real + "2 3 0\n"), {.rows = 2, .columns = 3, .start = {0, 0, 0}, .column = {}, .value = {}});
}

// Longer than the reader's buffer, so that a line crosses its end.
TEST_F(MatrixMarket, ReadsManyLinesAlsoCompressed) {
  constexpr int rows = 150'000;
  std::string text = real + std::to_string(rows) + " " + std::to_string(rows) + " " + std::to_string(rows) + "\n";
  for (int row = rows; row >= 1; --row) {
    text += std::to_string(row) + " " + std::to_string(rows + 1 - row) + " " + std::to_string(row) + ".5\n";
  }
  for (const std::string& path : {file(text), gzipped(text), gzipped(text, "no-suffix")}) {
    const Crs matrix = read_matrix_market(path);
    ASSERT_EQ(matrix.nonzeros(), rows);
    for (std::int64_t row = 0; row < rows; ++row) {
      ASSERT_EQ(matrix.columns_of(row)[0], rows - 1 - row);
      ASSERT_EQ(matrix.values_of(row)[0], static_cast<double>(row) + 1.5);
    }
  }
}

TEST_F(MatrixMarket, NeedsNoFriendlyNames) {
  expect_equal(read_matrix_market(file(small, "-rf; echo 'a b'.mtx")), small_crs);
  expect_equal(read_matrix_market(gzipped(small, "-d $(exit) '.gz")), small_crs);
}

TEST_F(MatrixMarket, SaysWhatAFileWillTake) {
  EXPECT_EQ(footprint_of_file(file(small)), 4 * 28.0 + 8.0 * 5);
  EXPECT_EQ(footprint_of_file(gzipped(small)), 4 * 28.0 + 8.0 * 5);
  EXPECT_EQ(footprint_of_file(file("%%MatrixMarket matrix coordinate pattern symmetric\n9 9 2\n2 1\n3 3\n")),
            2 * 40.0 + 8.0 * 11);
}

// --------------------------------------------------------------------------------------------------- what is refused

TEST_F(MatrixMarket, RefusesWhatIsNoFileOfItsKind) {
  expect_refused((folder_ / "none.mtx").string(), "", "No such file");
  expect_refused(folder_.string(), "", "is a folder");
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(pipe, "", "not a regular file");
  expect_refused(file(""), ":0", "is empty");
  expect_error("hello\n", ":1", "no Matrix Market file");
  expect_error("\n" + small, ":1", "no Matrix Market file");
  expect_error(std::string(3 << 20, 'x'), ":1", "longer than a MiB");
  expect_error(std::string("\0\xff\x7f", 3), ":1", "begins '?");
}

TEST_F(MatrixMarket, NamesWhatElseAFileIs) {
  expect_error("\xEF\xBB\xBF" + small, ":1", "a byte order mark (BOM)");
  expect_error(std::string("\xFF\xFE%\0%\0", 6), ":1", "UTF-16");
  expect_error(
      "Title of a matrix                                                       KEY\n"
      "             3             1             1             1             0\n"
      "RUA                        3             3             3             0\n"
      "(26I3)          (26I3)          (3E20.12)\n  1  2  3  4\n",
      ":1", "Harwell-Boeing");
  expect_error("title\n 9 1 1 7\nrsa 3 3 3 0\n", ":1", "Harwell-Boeing");
  expect_error("MATLAB 5.0 MAT-file, Platform: GLNXA64", ":1", "MATLAB");
  expect_error("<!DOCTYPE html>\n<html>\n", ":1", "HTML");
  expect_error("version https://git-lfs.github.com/spec/v1\n", ":1", "git-lfs");
  expect_error("PK\x03\x04", ":1", "zip");
}

TEST_F(MatrixMarket, SkipsWhatIsSoundButNoSparseRealMatrix) {
  for (const std::string kind :
       {"matrix array real general", "matrix coordinate complex general", "vector coordinate real general"}) {
    EXPECT_THROW(read("%%MatrixMarket " + kind + "\n1 1 1\n1 1 1\n"), Unsupported) << kind;
  }
}

TEST_F(MatrixMarket, RefusesWithoutPermission) {
  const std::string path = file(small);
  fs::permissions(path, fs::perms::none);
  // Root may read everything, so the test changes its user for a while.
  constexpr uid_t nobody = 65534;
  const uid_t before = geteuid();
  if (before == 0) {
    ASSERT_EQ(seteuid(nobody), 0);
  }
  expect_refused(path, "", "Permission denied");
  ASSERT_EQ(seteuid(before), 0);
}

TEST_F(MatrixMarket, RefusesOtherMatrices) {
  const auto banner = [&](const std::string& kind, const std::string& why) {
    expect_error("%%MatrixMarket " + kind + "\n1 1 1\n1 1 1\n", ":1", why);
  };
  banner("", "no matrix");
  banner("vector coordinate real general", "no matrix");
  banner("matrix array real general", "dense");
  banner("matrix coordinat real general", "'coordinate' or 'array'");
  banner("matrix coordinate complex general", "is complex");
  banner("matrix coordinate complex hermitian", "is complex");
  banner("matrix coordinate quaternion general", "'real', 'integer' or 'pattern'");
  banner("matrix coordinate real", "'skew-symmetric'");
  banner("matrix coordinate real hermitian", "'skew-symmetric'");
  banner("matrix coordinate pattern skew-symmetric", "a pattern matrix is 'general', 'symmetric': ");
}

TEST_F(MatrixMarket, RefusesBadSizes) {
  expect_error(real, ":1", "ends before the line of its numbers");
  expect_error(real + "% only\n\n", ":3", "ends before the line of its numbers");
  for (const std::string sizes :
       {"3 3", "3 3 4 5", "3 3 4.0", "3 x 4", "-1 3 4", "3 -1 4", "3 3 -4", "3 3 99999999999999999999"}) {
    expect_error(real + sizes + "\n1 1 1\n", ":2", "three whole numbers");
  }
  expect_error(real + "2147483648 1 1\n1 1 1\n", ":2", "32-bit");
  expect_error(real + "1 2147483648 1\n1 1 1\n", ":2", "32-bit");
  expect_error("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n", ":2", "as many rows as columns");
}

// The header alone must not make the reader allocate memory, so these fail at once.
TEST_F(MatrixMarket, RefusesHeadersThatTheFileCannotHold) {
  expect_error(real + "2000000000 2000000000 4000000000000000000\n1 1 1\n", ":2", "too short to hold");
  expect_error(real + "2000000000 5 1\n1 1 1\n", ":2", "so few entries");
  expect_error(real + "5 2000000000 1\n1 1 1\n", ":2", "so few entries");
  expect_refused(file(real + "3 3 100\n1 1 1\n"), ":2", "too short to hold 100 entries");
  // The shortest entries possible.
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n9 1 3\n1 1\n2 1\n3 1").nonzeros(), 3);
}

// "1 1 300" and 300 times "1 1", compressed by gzip -9 to a thirteenth of the length.
TEST_F(MatrixMarket, ReadsMoreThanTheFileHasBytes) {
  const std::string compressed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x53\x55\xf5\x4d\x2c\x29\xca\xac\xf0\x4d\x2c\xca\x4e\x2d"
      "\x51\xc8\x05\x73\x14\x92\xf3\xf3\x8b\x52\x32\xf3\x12\x4b\x52\x15\x0a\x12\x4b\x4a\x52\x8b\xf2\x14"
      "\xd2\x53\xf3\x52\x8b\x12\x73\xb8\x0c\x15\x0c\x15\x8c\x0d\x0c\x40\xf4\x28\x1e\xc5\xa3\x78\x14\x0f"
      "\x09\x0c\x00\x0c\x29\x93\xd1\xe9\x04\x00\x00",
      83);
  const Crs matrix = read_matrix_market(file(compressed));
  EXPECT_EQ(matrix.value, std::vector{300.0});
}

TEST_F(MatrixMarket, RefusesBadEntries) {
  for (const std::string entry : {"1", "1 1", "1 2.5", "1 1 1 1", "1 x 1", "1.0 1 1", "1 1 x", "1 1 1x", "1 1 0x10",
                                  "1 1 1,5", "1 1 +-1", "a", "1 1 \x01", "99999999999999999999 1 1"}) {
    expect_entry_error(entry, "an entry is ROW COLUMN VALUE, not '");
  }
  for (const std::string entry : {"0 1 1", "4 1 1", "1 0 1", "1 5 1", "-1 1 1", "1 9999999999 1"}) {
    expect_entry_error(entry, "outside the matrix of 3 x 4");
  }
  for (const std::string value : {"nan", "NaN", "-nan", "inf", "-Infinity", "1e400", "-1e999"}) {
    expect_entry_error("1 1 " + value, "not a finite number");
  }
  expect_error("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n", ":3", "ROW COLUMN, not");
}

TEST_F(MatrixMarket, RefusesMoreAndFewerEntriesThanAnnounced) {
  expect_error(small + "1 2 5\n", ":7", "more entries than the 4 announced");
  expect_error(real + "3 3 4\n1 1 1.5\n% padded\n% so that length alone does not tell\n2 2 1\n", ":6",
               "ends after 2 of 4 entries");
}

TEST_F(MatrixMarket, RefusesContradictionsToSymmetry) {
  expect_error("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n1 2 1\n", ":4", "both sides");
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n";
  expect_error(skew + "2 2 1\n", ":3", "zeros on its diagonal");
  EXPECT_EQ(read(skew + "2 2 0\n").nonzeros(), 1);
}

// --------------------------------------------------------------------------------------------------------- compressed

TEST_F(MatrixMarket, RefusesCompressedFilesThatAreCutOffOrDamaged) {
  std::string text = real + "2000 2000 2000\n";
  for (int row = 1; row <= 2000; ++row) text += std::to_string(row) + " 1 " + std::to_string(row * 7919 % 1000) + "\n";
  const std::string path = gzipped(text);
  const auto size = fs::file_size(path);
  for (const std::uintmax_t kept : {size - 1, size - 8, size / 2, std::uintmax_t{20}, std::uintmax_t{2}}) {
    fs::resize_file(path, kept);
    try {
      read_matrix_market(path);
      ADD_FAILURE() << "no error of a file cut off after " << kept;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("cut off or damaged"), std::string::npos) << error.what();
    }
  }
  std::fstream damaged(gzipped(text), std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(-8, std::ios::end).put('\x55').put('\x55');  // the checksum
  damaged.close();
  try {
    read_matrix_market(path);
    ADD_FAILURE() << "no error of a damaged file";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cut off or damaged"), std::string::npos) << error.what();
  }
}

TEST_F(MatrixMarket, SaysSoWhereThereIsNoGzip) {
  const std::string path = gzipped(small);
  const std::string search = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  expect_refused(path, "", "gzip cannot be started");
  setenv("PATH", search.c_str(), 1);
}

TEST_F(MatrixMarket, LeavesNoProcessesAndFilesOpen) {
  const auto open = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); };
  const auto before = open();
  std::string text = real + "300000 1 300000\nwrong\n";
  for (int row = 0; row < 300'000; ++row) text += "1 1 1\n";
  const std::string path = gzipped(text);
  expect_refused(path, ":3", "an entry is");
  EXPECT_EQ(open(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // there is no child
}

}  // namespace
}  // namespace banzuke::spmv
