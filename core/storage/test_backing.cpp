// Tests of what is below file systems, with a mock of /sys.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/storage/backing.hpp"

namespace banzuke {
namespace {

namespace fs = std::filesystem;

using Caches = std::vector<Cache>;

class Backings : public testing::Test {
 public:
  ~Backings() override { fs::remove_all(folder_); }
  Backings(const Backings&) = delete;
  Backings& operator=(const Backings&) = delete;

 protected:
  Backings() {
    std::string pattern = (fs::temp_directory_path() / "backing-XXXXXX").string();
    folder_ = fs::canonical(mkdtemp(pattern.data()));
    host_.sys = folder_ / "sys";
    host_.addresses = {"192.0.2.7", "2001:db8::7"};
    fs::create_directories(host_.sys / "dev/block");
  }

  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }

  // A device's folder, below /sys/devices.
  fs::path device(const std::string& where, const std::string& number) const {
    const fs::path folder = host_.sys / "devices" / where;
    fs::create_directories(folder / "slaves");
    fs::create_directory_symlink(folder, host_.sys / "dev/block" / number);
    return folder;
  }
  fs::path loop(const std::string& name, const std::string& number, const std::string& dio,
                const fs::path& file) const {
    const fs::path folder = device("virtual/block/" + name, number);
    write(folder / "loop/backing_file", file.string());
    if (!dio.empty()) write(folder / "loop/dio", dio);
    return folder;
  }
  static void over(const fs::path& upper, const fs::path& lower) {
    fs::create_directory_symlink(lower, upper / "slaves" / lower.filename());
  }

  Caches caches(const FileSystem& system) const { return backing(system, host_).caches; }
  static FileSystem on(const std::string& number) {
    return {.type = "ext4", .mount = "/m", .source = "/dev/x", .device = number};
  }
  static FileSystem from(const std::string& type, const std::string& source, const std::string& options = "rw") {
    return {.type = type, .mount = "/m", .source = source, .device = "0:50", .options = options};
  }

  fs::path folder_;
  Host host_;
};

TEST_F(Backings, OfADiskAreNoCache) {
  device("pci/block/sda", "8:0");
  EXPECT_EQ(caches(on("8:0")), Caches{});
  EXPECT_EQ(caches(on("8:99")), Caches{}) << "nothing is known of it";
}

TEST_F(Backings, OfALoopDeviceAreTheFilesPages) {
  loop("loop0", "7:0", "0", "/x.img");
  EXPECT_EQ(caches(on("7:0")), (Caches{{"loop", "loop0", "/x.img"}}));
  loop("loop1", "7:1", "1", "/x.img (deleted)");
  EXPECT_EQ(caches(on("7:1")), Caches{});
  loop("loop2", "7:2", "", "/x.img");
  EXPECT_EQ(caches(on("7:2")).size(), 1U) << "old kernels have no direct I/O";
}

TEST_F(Backings, AreFoundBelowPartitionsAndDeviceMapper) {
  const fs::path disk = loop("loop0", "7:0", "0", "/x.img");
  const fs::path part = disk / "loop0p1";
  write(part / "partition", "1");
  fs::create_directory_symlink(part, host_.sys / "dev/block/259:0");
  EXPECT_EQ(caches(on("259:0")).size(), 1U);
  const fs::path raid = device("virtual/block/md0", "9:0");
  over(raid, device("pci/block/sda", "8:0"));
  over(raid, part);
  const fs::path mapped = device("virtual/block/dm-0", "253:0");
  over(mapped, raid);
  EXPECT_EQ(caches(on("253:0")), (Caches{{"loop", "loop0", "/x.img"}}));
}

// A loop device's file may lie on another loop device, and in memory.
TEST_F(Backings, AreFoundBelowTheFilesOfLoopDevices) {
  write(folder_ / "a/x.img", "");
  host_.mounts = "20 1 7:1 / " + folder_.string() + "/a rw - ext4 /dev/loop1 rw\n";
  loop("loop0", "7:0", "1", folder_ / "a/x.img");
  loop("loop1", "7:1", "0", "/y.img");
  EXPECT_EQ(caches(on("7:0")), (Caches{{"loop", "loop1", "/y.img"}}));
  EXPECT_FALSE(backing(on("7:0"), host_).in_memory);
  host_.mounts = "20 1 0:30 / " + folder_.string() + "/a rw - tmpfs tmpfs rw\n";
  EXPECT_TRUE(backing(on("7:0"), host_).in_memory);
  EXPECT_TRUE(backing(from("overlay", "overlay", "rw,upperdir=" + folder_.string() + "/a"), host_).in_memory);
  device("virtual/block/zram0", "252:0");
  EXPECT_TRUE(backing(on("252:0"), host_).in_memory);
}

TEST_F(Backings, OfAVolumeOfBtrfsAreThoseOfAnyDevice) {
  const fs::path disk = device("pci/block/sda", "8:0");
  const fs::path other = loop("loop0", "7:0", "0", "/x.img");
  fs::create_directories(host_.sys / "fs/btrfs/volume/devices");
  fs::create_directory_symlink(disk, host_.sys / "fs/btrfs/volume/devices/sda");
  fs::create_directory_symlink(other, host_.sys / "fs/btrfs/volume/devices/loop0");
  EXPECT_EQ(caches(on("8:0")).size(), 1U);
}

TEST_F(Backings, AreThisHostsWhereItIsTheServer) {
  EXPECT_EQ(caches(from("nfs4", "some.name:/x", "rw,clientaddr=127.0.0.1,addr=127.0.0.1")),
            (Caches{{"own", "nfs4", "127.0.0.1"}}));
  for (const auto& own : {from("nfs", "192.0.2.7:/x"), from("nfs4", "[2001:db8::7]:/x"), from("nfs4", "[::1]:/x"),
                          from("nfs", "localhost:/x"), from("cifs", "//127.0.0.1/share"),
                          from("lustre", "192.0.2.1@tcp:192.0.2.7@tcp:/fs"), from("lustre", "0@lo:/fs"),
                          from("ceph", "192.0.2.1:6789,192.0.2.7:6789:/"),
                          from("ceph", "u@f.fs=/", "rw,mon_addr=192.0.2.1:3300/192.0.2.7:3300"),
                          from("9p", "127.0.0.1", "rw,trans=tcp,port=564")}) {
    EXPECT_EQ(caches(own).size(), 1U) << own.type << ' ' << own.source;
  }
  for (const auto& other :
       {from("nfs4", "localhost:/x", "rw,clientaddr=192.0.2.7,addr=192.0.2.8"), from("nfs", "192.0.2.8:/x"),
        from("lustre", "192.0.2.8@o2ib:/fs"), from("9p", "share", "rw,trans=virtio"), from("beegfs", "beegfs_nodev")}) {
    EXPECT_EQ(caches(other), Caches{}) << other.type << ' ' << other.source;
  }
}

TEST_F(Backings, AreThisHostsWhereADeviceIsReadFromIt) {
  const fs::path remote = device("virtual/nvme-fabrics/ctl/nvme0/nvme0n1", "259:1");
  fs::create_directory_symlink(remote.parent_path(), remote / "device");
  write(remote.parent_path() / "transport", "tcp");
  write(remote.parent_path() / "address", "traddr=192.0.2.8,trsvcid=4420,src_addr=192.0.2.7");
  EXPECT_EQ(caches(on("259:1")), Caches{});
  write(remote.parent_path() / "address", "traddr=192.0.2.7,trsvcid=4420");
  EXPECT_EQ(caches(on("259:1")), (Caches{{"own", "nvme0n1", "192.0.2.7"}}));
  device("platform/host3/session1/target3:0:0/3:0:0:0/block/sdb", "8:16");
  write(host_.sys / "devices/platform/host3/session1/connection1:0/iscsi_connection/connection1:0/persistent_address",
        "127.0.0.1");
  EXPECT_EQ(caches(on("8:16")), (Caches{{"own", "sdb", "127.0.0.1"}}));
  device("virtual/block/nbd0", "43:0");
  EXPECT_EQ(caches(on("43:0")), (Caches{{"process", "nbd0"}}));
}

TEST_F(Backings, OfZfsIsItsOwn) { EXPECT_EQ(caches(from("zfs", "tank/data")), (Caches{{"zfs", "tank/data"}})); }

// By the kernel's device name, because a volume group may have the same name.
TEST_F(Backings, AreInMemoryOnRamDisksAlone) {
  device("virtual/block/ram0", "1:0");
  EXPECT_TRUE(backing(on("1:0"), host_).in_memory);
  device("virtual/block/dm-1", "253:1");
  FileSystem volume = on("253:1");
  volume.source = "/dev/ramvg/lv";
  EXPECT_FALSE(backing(volume, host_).in_memory);
  EXPECT_FALSE(volume.in_memory());
}

TEST(Hosts, KnowTheirAddresses) {
  const Host here = Host::here();
  EXPECT_TRUE(here.addresses.contains("127.0.0.1")) << "of the loopback interface";
  EXPECT_FALSE(here.mounts.empty());
}

}  // namespace
}  // namespace banzuke
