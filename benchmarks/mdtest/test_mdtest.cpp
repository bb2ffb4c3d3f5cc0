#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/storage/descriptor.hpp"
#include "core/testing.hpp"
#include "items.hpp"
#include "mdtest.hpp"

namespace banzuke::mdtest {
namespace {

namespace fs = std::filesystem;

TEST(Tree, HasTheDirectoriesOfMdtest) {
  EXPECT_EQ(directories(0, 5), 1);
  EXPECT_EQ(directories(3, 1), 4);
  EXPECT_EQ(directories(2, 3), 13);
  EXPECT_EQ(directories(1000, 10), std::numeric_limits<std::int64_t>::max());
  const Tree tree(2, 2);
  std::vector<std::string> paths;
  paths.reserve(7);
  for (std::int64_t i = 0; i < tree.size(); ++i) paths.push_back(tree.path(i));
  EXPECT_EQ(paths,
            (std::vector<std::string>{"", "bz.1/", "bz.2/", "bz.1/bz.3/", "bz.1/bz.4/", "bz.2/bz.5/", "bz.2/bz.6/"}));
}

TEST(Tree, HasLeavesThatAloneHoldItems) {
  EXPECT_EQ(holders(2, 3, true), 9);
  EXPECT_EQ(holders(2, 3, false), 13);
  EXPECT_EQ(holders(4, 1, true), 1);
  EXPECT_EQ(holders(0, 3, true), 1);
}

TEST(Name, EndsWithItsNumber) {
  Name name;
  name.start("a/file.");
  EXPECT_STREQ(name.with(10), "a/file.10");
  EXPECT_STREQ(name.with(7), "a/file.7");
  EXPECT_STREQ(name.with(std::numeric_limits<std::int64_t>::max()), "a/file.9223372036854775807");
  name.start("b.");
  EXPECT_STREQ(name.with(0), "b.0");
}

TEST(Problem, CountsWhatAllRanksMake) {
  const Problem all = problem({.items = 14, .bytes = 100, .depth = 2, .branch = 2}, 3);
  const Json::Object facts{
      {"tree_directories", std::int64_t{7}}, {"items_of_all_ranks", 42.0}, {"bytes_of_all_files", 4200.0}};
  EXPECT_EQ(Json(all.facts).dump(), Json(facts).dump());
  EXPECT_GE(all.footprint, static_cast<double>(Contents::base_bytes(104, 1) + 100));
  EXPECT_LT(problem({}, 1).footprint, 1e4);
}

std::string remedy(const Params& params) {
  try {
    problem(params, 2);
  } catch (const UsageError& error) {
    return error.remedy();
  }
  return "accepted";
}

TEST(Problem, NamesTheNearestCall) {
  EXPECT_EQ(remedy({.items = 10, .depth = 2, .branch = 2}), "Nearest: items=7 or items=14");
  EXPECT_EQ(remedy({.items = 3, .depth = 1, .branch = 4}), "Nearest: items=5");
  EXPECT_EQ(remedy({.items = 1000, .depth = 7, .branch = 10}), "Nearest: depth=5");
  EXPECT_EQ(remedy({.items = 13, .depth = 2, .branch = 3}), "accepted");
  EXPECT_EQ(remedy({.items = 100, .depth = 2, .branch = 3, .holders = "leaves"}), "Nearest: items=99 or items=108");
}

// A folder that is removed with its contents.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "banzuke-mdtest-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw_errno("make " + path_);
    descriptor_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  std::string path_;
  Descriptor descriptor_;
};

// The items of rank 1 in a folder of their own, which the tests change unnoticed.
class ItemsOfARank : public testing::Test {
 protected:
  static constexpr int rank = 1;
  static constexpr std::int64_t count = 14;

  ItemsOfARank() { items_.make_tree(); }

  Pace pace() const { return {context_, Budget::never, 0, count}; }
  void make_files() {
    Pace all = pace();
    ASSERT_EQ(items_.make_files(rank, count, all), count);
  }
  std::set<std::string> there() const {
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      out.insert(fs::relative(entry.path(), folder_.path()).string());
    }
    return out;
  }
  // Two items in each of seven directories; the last is in the last.
  fs::path file(const std::string& path) const { return fs::path(folder_.path()) / "bz.tree.1" / path; }
  Wrong asked() {
    Wrong wrong;
    Pace all = pace();
    EXPECT_EQ(items_.ask_files(rank, count, all, wrong), count);
    return wrong;
  }
  Wrong verified() {
    Wrong wrong;
    items_.verify_files(rank, count, wrong);
    return wrong;
  }
  Wrong left() {
    Wrong wrong;
    items_.find_left(rank, 1, wrong);
    return wrong;
  }

  const Params params_{.items = count, .bytes = 5001, .depth = 2, .branch = 2};
  const Folder folder_;
  Items items_{params_, folder_.descriptor(), folder_.path(), rank, 5};
  const std::vector<std::vector<int>> places_;
  const Context context_{.ranks = alone(), .places = places_};
};

TEST_F(ItemsOfARank, AreMadeAskedForReadAndRemoved) {
  const auto tree = there();
  EXPECT_EQ(tree.size(), 7U);
  make_files();
  EXPECT_EQ(there().size(), 21U);
  EXPECT_EQ(fs::file_size(file("bz.2/bz.6/bz.file.1.13")), 5001U);
  EXPECT_EQ(asked().count, 0.0);
  Pace all = pace();
  EXPECT_EQ(items_.read_files(rank, count, all), count);
  EXPECT_EQ(verified().count, 0.0);
  EXPECT_EQ(items_.remove_files(rank, count, all), count);
  EXPECT_EQ(left().count, 0.0);
  EXPECT_EQ(there(), tree);
  EXPECT_EQ(items_.remove_tree(), 7);
  EXPECT_TRUE(there().empty());
}

TEST(ItemsInLeaves, AreNowhereElse) {
  const Params params{.items = 8, .bytes = 8, .depth = 2, .branch = 2, .holders = "leaves", .fsync = "yes"};
  const Folder folder;
  Items items(params, folder.descriptor(), folder.path(), 0, 5);
  const std::vector<std::vector<int>> places;
  const Context context{.ranks = alone(), .places = places};
  Pace pace(context, Budget::never, 0, 1);
  items.make_tree();
  EXPECT_EQ(items.make_files(0, 8, pace), 8);
  std::vector<std::string> in;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) in.push_back(entry.path().parent_path().filename().string());
  }
  std::ranges::sort(in);
  EXPECT_EQ(in, (std::vector<std::string>{"bz.3", "bz.3", "bz.4", "bz.4", "bz.5", "bz.5", "bz.6", "bz.6"}));
  Wrong wrong;
  items.verify_files(0, 8, wrong);
  items.ask_files(0, 8, pace, wrong);
  EXPECT_EQ(wrong.count, 0.0) << wrong.first;
  EXPECT_EQ(items.remove_files(0, 8, pace), 8);
}

TEST_F(ItemsOfARank, CanBeDirectoriesOfWhichSomeAreRenamed) {
  Wrong wrong;
  Pace all = pace();
  EXPECT_EQ(items_.make_directories(rank, count, all), count);
  EXPECT_EQ(items_.ask_directories(rank, count, all, wrong), count);
  EXPECT_EQ(items_.rename_directories(rank, 5, all), 5);
  EXPECT_TRUE(fs::is_directory(file("bz.2/bz.renamed.1.4")));
  EXPECT_FALSE(fs::exists(file("bz.2/bz.directory.1.4")));
  EXPECT_TRUE(fs::is_directory(file("bz.2/bz.directory.1.5")));
  EXPECT_EQ(left().count, 14.0);
  EXPECT_EQ(items_.remove_directories(rank, count, 5, all), count);
  EXPECT_EQ(wrong.count + left().count, 0.0);
}

TEST_F(ItemsOfARank, StopWhenTheTimeIsOver) {
  Pace over(context_, 0.0, 0, count);
  EXPECT_EQ(items_.make_files(rank, count, over), 0);
}

TEST_F(ItemsOfARank, ThatAreOfAnotherKindOrSizeAreSeen) {
  make_files();
  fs::resize_file(file("bz.1/bz.file.1.2"), 5000);
  fs::remove(file("bz.file.1.0"));
  fs::create_directory(file("bz.file.1.0"));
  fs::remove(file("bz.file.1.1"));
  fs::create_symlink("bz.1/bz.file.1.3", file("bz.file.1.1"));
  const Wrong wrong = asked();
  EXPECT_EQ(wrong.count, 3.0);
  EXPECT_EQ(wrong.first, "bz.tree.1/bz.file.1.0 is no file of 5001 bytes");
}

TEST_F(ItemsOfARank, ThatHaveAFlippedByteAreLocated) {
  make_files();
  std::fstream changed(file("bz.2/bz.6/bz.file.1.13"), std::ios::in | std::ios::out | std::ios::binary);
  changed.seekg(4999);
  const int byte = changed.get();
  changed.seekp(4999);
  changed.put(static_cast<char>(byte ^ 1));
  changed.close();
  const Wrong wrong = verified();
  EXPECT_EQ(wrong.count, 1.0);
  EXPECT_EQ(wrong.first, "bz.tree.1/bz.2/bz.6/bz.file.1.13 at byte 4999, written by rank 1");
}

TEST_F(ItemsOfARank, ThatAreAnothersFileAreSeen) {
  make_files();
  fs::copy_file(file("bz.file.1.0"), file("bz.file.1.1"), fs::copy_options::overwrite_existing);
  EXPECT_EQ(verified().first, "bz.tree.1/bz.file.1.1 at byte 0, written by rank 1");
}

TEST_F(ItemsOfARank, ThatAreLeftAreFound) {
  std::ofstream(file("bz.2/bz.5/foreign")) << "x";
  EXPECT_EQ(left().first, "bz.tree.1/bz.2/bz.5/foreign");
  EXPECT_THROW(items_.remove_tree(), std::runtime_error);
}

// Returns the message that `call` throws, from the path on.
template <class Call>
std::string reason(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    return text.substr(text.find("bz."));
  }
  return "no error";
}

TEST_F(ItemsOfARank, ThatAreInTheWayAreNeverOverwritten) {
  std::ofstream(file("bz.file.1.1")) << "foreign";
  const fs::path elsewhere = fs::path(folder_.path()) / "elsewhere";
  std::ofstream(elsewhere) << "foreign";
  fs::create_symlink(elsewhere, file("bz.1/bz.file.1.2"));
  const auto make = [&] {
    Pace all = pace();
    items_.make_files(rank, count, all);
  };
  EXPECT_EQ(reason(make), "bz.tree.1/bz.file.1.1: File exists");
  EXPECT_EQ(fs::file_size(file("bz.file.1.1")), 7U);
  fs::remove(file("bz.file.1.0"));
  fs::remove(file("bz.file.1.1"));
  EXPECT_EQ(reason(make), "bz.tree.1/bz.1/bz.file.1.2: File exists");
  EXPECT_EQ(fs::file_size(elsewhere), 7U);
}

TEST_F(ItemsOfARank, ThatVanishAreToldByTheirPath) {
  make_files();
  fs::remove(file("bz.1/bz.file.1.3"));
  EXPECT_EQ(reason([&] { asked(); }), "bz.tree.1/bz.1/bz.file.1.3: No such file or directory");
  EXPECT_EQ(reason([&] { verified(); }), "bz.tree.1/bz.1/bz.file.1.3: No such file or directory");
  fs::resize_file(file("bz.1/bz.file.1.2"), 100);
  EXPECT_EQ(reason([&] { verified(); }), "bz.tree.1/bz.1/bz.file.1.2: No data available");
}

}  // namespace
}  // namespace banzuke::mdtest
