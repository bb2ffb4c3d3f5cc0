// Code shared by the storage benchmarks, on one rank.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/storage/contents.hpp"
#include "core/storage/descriptor.hpp"
#include "core/storage/file_system.hpp"
#include "core/storage/interruption.hpp"
#include "core/storage/page_cache.hpp"
#include "core/storage/work_folder.hpp"

namespace banzuke {
namespace {

namespace fs = std::filesystem;

// A folder for one test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "storage-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Storage : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  Scratch scratch_;
  fs::path folder_ = scratch_.path();
  Descriptor descriptor_{open(folder_.c_str(), O_RDONLY | O_DIRECTORY)};
};

TEST_F(Storage, OnlyWhatIsOursIsRemoved) {
  fs::create_directories(folder_ / "work/bz.a/bz.b");
  write("work/mark", "m");
  write("work/bz.a/bz.b/bz.1", "x");
  write("outside", "stays");
  fs::create_directory_symlink(folder_, folder_ / "work/bz.a/bz.link");
  write("work/bz.a/notes", "somebody's");
  const std::string left = remove_work_folder(descriptor_.get(), "work");
  EXPECT_TRUE(left.starts_with("work/bz.a/")) << left;
  EXPECT_TRUE(left.ends_with("not made by this program")) << left;
  EXPECT_TRUE(fs::exists(folder_ / "outside"));
  EXPECT_TRUE(fs::exists(folder_ / "work/mark"));  // so that it is still recognised as ours
  EXPECT_TRUE(fs::exists(folder_ / "work/bz.a/notes"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "work/bz.a/bz.link"));
  EXPECT_FALSE(fs::exists(folder_ / "work/bz.a/bz.b"));

  fs::remove(folder_ / "work/bz.a/notes");
  fs::remove(folder_ / "work/bz.a/bz.link");
  EXPECT_EQ(remove_work_folder(descriptor_.get(), "work"), "");
  EXPECT_FALSE(fs::exists(folder_ / "work"));
  EXPECT_EQ(remove_work_folder(descriptor_.get(), "work"), "");  // it is gone, as requested
}

TEST_F(Storage, ALinkInPlaceOfTheFolderIsNotFollowed) {
  fs::create_directories(folder_ / "elsewhere");
  write("elsewhere/bz.1", "x");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "work");
  EXPECT_NE(remove_work_folder(descriptor_.get(), "work"), "");
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere/bz.1"));
}

TEST(Marks, AreReadAsTheyWereWritten) {
  const Mark mark = Mark::of_this_process("banzuke-ior");
  EXPECT_FALSE(mark.boot.empty());
  EXPECT_GT(mark.began, 0);
  const auto read = Mark::read(mark.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), mark.text());
  EXPECT_FALSE(Mark::read(""));
  EXPECT_FALSE(Mark::read("work folder of Banzuke\nprogram x\n"));
  EXPECT_FALSE(Mark::read("something else\n" + mark.text()));
}

TEST(Marks, OfAProcessThatMayBeAliveAreKept) {
  const Mark here = Mark::of_this_process("banzuke-ior");
  EXPECT_NE(still_owned(here, here).find("is running"), std::string::npos);
  Mark gone = here;
  gone.began += 1;  // the number belongs to another process now
  EXPECT_EQ(still_owned(gone, here), "");
  gone.process = 1 << 30;
  EXPECT_EQ(still_owned(gone, here), "");

  Mark booted = here;
  booted.boot = "another";
  EXPECT_EQ(still_owned(booted, here), "");
  Mark other = gone;
  other.host = "another";
  EXPECT_NE(still_owned(other, here), "");
  other = booted;
  other.machine = "another of the same name";
  EXPECT_NE(still_owned(other, here), "");
  other = gone;
  other.pid_namespace = "pid:[1]";
  EXPECT_NE(still_owned(other, here), "");
}

TEST(Interruptions, AreNotedOnceAndThenEndTheProcess) {
  {
    const Interruption guard;
    EXPECT_FALSE(Interruption::requested());
    EXPECT_NO_THROW(Interruption::check());
    std::raise(SIGTERM);
    EXPECT_TRUE(Interruption::requested());
    try {
      Interruption::check();
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "ended by SIGTERM");
    }
    EXPECT_EXIT(std::raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
  }
  const Interruption again;
  EXPECT_FALSE(Interruption::requested());
}

constexpr const char* mounts =
    "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "30 21 0:25 / /dev/shm rw shared:3 - tmpfs tmpfs rw\n"
    "31 21 0:26 / /scratch rw shared:4 master:1 - lustre 10.0.0.1@o2ib:/fs rw\n"
    "32 31 0:27 / /scratch/a\\040b rw - fuse.glusterfs server:/vol rw\n"
    "33 21 0:28 / /scratch rw - beegfs beegfs_nodev rw\n"
    "34 21 0:29 / /layer rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile\n"
    "37 21 0:31 / /newer rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w,uuid=on,fsync=volatile\n"
    "35 21 0:30 / /kept rw - overlay overlay rw,lowerdir=/volatile\n"
    "a line too short\n";

TEST(FileSystems, AreThoseOfTheDeepestAndLatestMount) {
  EXPECT_EQ(file_system(mounts, "/home/user").type, "ext4");
  EXPECT_EQ(file_system(mounts, "/dev/shm").type, "tmpfs");
  EXPECT_TRUE(file_system(mounts, "/dev/shm/x").in_memory());
  EXPECT_EQ(file_system(mounts, "/dev/shmoo").mount, "/");
  EXPECT_EQ(file_system(mounts, "/scratch/user").type, "beegfs");
  const FileSystem gluster = file_system(mounts, "/scratch/a b/c");
  EXPECT_EQ(gluster.type, "fuse.glusterfs");
  EXPECT_EQ(gluster.mount, "/scratch/a b");
  EXPECT_EQ(gluster.source, "server:/vol");
  EXPECT_TRUE(gluster.in_user_space());
  EXPECT_TRUE(file_system(mounts, "/layer/x").drops_fsync());
  EXPECT_TRUE(file_system(mounts, "/newer/x").drops_fsync());
  EXPECT_FALSE(file_system(mounts, "/kept/x").drops_fsync());
  EXPECT_FALSE(file_system(mounts, "/home/user").in_memory());
  EXPECT_EQ(file_system("", "/x").type, "");
  EXPECT_FALSE(file_system("/proc/self").type.empty());
}

TEST(StripingOf, LustreAndBeegfsIsRead) {
  EXPECT_EQ(Json(lustre_striping("/scratch/f\nlmm_stripe_count:  2\nlmm_stripe_size:   1048576\nlmm_pattern: raid0\n"
                                 "lmm_pool:          flash\n\tobdidx\t\t objid\t\t objid\t\t group\n"
                                 "\t     3\t  100\t 0x64\t 0\n\t     7\t  101\t 0x65\t 0\n"))
                .dump(),
            R"({"stripe_count":2,"stripe_size":1048576,"pool":"flash","targets":"3,7"})");
  EXPECT_EQ(Json(lustre_striping("stripe_count:  -1 stripe_size:   4194304 pattern: raid0\n")).dump(),
            R"({"stripe_count":-1,"stripe_size":4194304})");
  EXPECT_EQ(Json(beegfs_striping("EntryID: 1-2\nMetadata node: meta1 [ID: 1]\nStripe pattern details:\n+ Type: RAID0\n"
                                 "+ Chunksize: 512K\n+ Number of storage targets: desired: 4; actual: 2\n"
                                 "+ Storage Pool: 1 (Default)\n"))
                .dump(),
            R"({"stripe_size":524288,"stripe_count":2,"pool":"1","metadata_target":"meta1"})");
  EXPECT_EQ(Json(lustre_striping("")).dump(), "{}");
}

TEST_F(Storage, StripingIsAskedOfTheFileSystemsTool) {
  write("lfs", "#!/bin/sh\necho \"$@\" > " + (folder_ / "asked").string() + "\n");
  fs::permissions(folder_ / "lfs", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  set_striping({.type = "lustre", .mount = "/scratch", .source = ""}, "/scratch/x", {.count = -1, .size = 1 << 20});
  setenv("PATH", path.c_str(), 1);
  std::string asked;
  std::getline(std::ifstream(folder_ / "asked") >> std::ws, asked);
  EXPECT_EQ(asked, "setstripe -c -1 -S 1048576 /scratch/x");

  EXPECT_NO_THROW(set_striping({.type = "ext4", .mount = "/", .source = ""}, "/x", {}));
  EXPECT_THROW(set_striping({.type = "ext4", .mount = "/", .source = ""}, "/x", {.count = 1}), std::runtime_error);
  EXPECT_THROW(set_striping({.type = "lustre", .mount = "/", .source = ""}, "/no/x", {.count = 1}), std::runtime_error);
}

TEST_F(Storage, CachedPagesAreCounted) {
  constexpr std::int64_t bytes = 1 << 20;
  write("file", std::string(bytes, 'x'));
  const Descriptor file(open((folder_ / "file").c_str(), O_RDWR));
  for (auto* const count : {cached_bytes, cached_bytes_by_mincore}) {
    ASSERT_EQ(count(file.get(), 0, bytes), bytes);
    ASSERT_EQ(count(file.get(), 4096, 8192), 8192);
  }
  if (file_system(folder_.string()).in_memory()) GTEST_SKIP() << "hardware: temporary files are in memory here";
  fsync(file.get());
  drop_cached(file.get());
  for (auto* const count : {cached_bytes, cached_bytes_by_mincore}) EXPECT_EQ(count(file.get(), 0, bytes), 0.0);
}

// A piece as it would be read back from a file.
std::vector<std::byte> piece_of(Contents& contents, std::uint64_t file, std::int64_t offset, std::int64_t size) {
  const std::byte* start = contents.piece(file, offset);
  return {start, start + size};
}

TEST(FileContents, DependOnSeedFileAndOffset) {
  for (const std::int64_t size : {8, 512, 1000, 4096, 65536}) {
    for (const std::int64_t at_once : {1, 3}) {
      Contents contents(7, size, at_once);
      Contents same(7, size, at_once);
      Contents other(8, size, at_once);
      for (const std::int64_t offset : {std::int64_t{0}, 3 * size, (std::int64_t{5} << 30U) / size * size}) {
        const auto found = piece_of(contents, 2, offset, size);
        static_cast<void>(same.piece(1, offset + size));
        EXPECT_FALSE(same.first_wrong(2, offset, found)) << size;
        EXPECT_EQ(other.first_wrong(2, offset, found).value_or(-1), offset);
        EXPECT_TRUE(same.first_wrong(3, offset, found)) << "another file's";
        EXPECT_TRUE(same.first_wrong(2, offset + 6 * size, found)) << "another place's";
      }
    }
  }
}

// Also a sector that starts within a page.
TEST(FileContents, ASectorFromElsewhereIsSeen) {
  constexpr std::int64_t size = 65536;
  Contents contents(7, size);
  const auto here = piece_of(contents, 0, 0, size);
  int equal = 0;
  for (std::int64_t i = 1; i <= 1000; ++i) {
    equal += std::memcmp(piece_of(contents, 0, i * size, size).data() + 512, here.data() + 512, 512) == 0 ? 1 : 0;
  }
  EXPECT_LT(equal, 20);  // 4 are expected, of the 257 pages at which a piece may start
}

TEST(FileContents, AWrongByteIsFoundWhereItIs) {
  constexpr std::int64_t size = 4096;
  Contents contents(7, size);
  auto found = piece_of(contents, 0, 8 * size, size);
  for (const std::size_t at : {0U, 5U, 511U, 512U, 4095U}) {
    found[at] ^= std::byte{0x10};
    EXPECT_EQ(contents.first_wrong(0, 8 * size, found).value_or(-1), 8 * size + static_cast<std::int64_t>(at));
    found[at] ^= std::byte{0x10};
  }
}

TEST(FileContents, RepeatNowhere) {
  constexpr std::int64_t size = 1 << 20;
  Contents contents(7, size);
  std::set<std::string> pages;
  std::size_t count = 0;
  for (std::int64_t offset = 0; offset < 12 * size; offset += size) {
    const auto* start = reinterpret_cast<const char*>(contents.piece(0, offset));
    for (std::int64_t at = 0; at < size; at += Contents::page, ++count) pages.emplace(start + at, 8);
  }
  EXPECT_EQ(pages.size(), count);
  std::set<std::uint64_t> words;
  const std::byte* start = contents.piece(0, 0);
  for (std::int64_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, start + at, sizeof word);
    words.insert(word);
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(size / 8));
}

// A piece in use must not change while another is made.
TEST(FileContents, InUseAtOnceAreApart) {
  constexpr std::int64_t size = 8192;
  Contents contents(7, size, 4);
  std::vector<const std::byte*> made;
  std::vector<std::vector<std::byte>> copies;
  for (std::int64_t i = 0; i < 8; ++i) {
    made.push_back(contents.piece(0, i * size));
    copies.emplace_back(made.back(), made.back() + size);
    const auto memory = contents.memory(i * size);
    EXPECT_GE(made.back(), memory.data());
    EXPECT_LE(made.back() + size, memory.data() + memory.size());
  }
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(std::memcmp(made[i], copies[i].data(), size), 0) << i;
}

}  // namespace
}  // namespace banzuke
