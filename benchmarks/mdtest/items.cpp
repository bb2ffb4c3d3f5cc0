#include "items.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/storage/descriptor.hpp"
#include "core/storage/work_folder.hpp"
#include "mdtest.hpp"

namespace banzuke::mdtest {
namespace {

// Returns the name with the prefix by which the work folder recognises, and removes, what a run leaves behind.
std::string ours(std::string_view name) { return std::string(made_prefix) + std::string(name); }

constexpr const char* a_directory = "directory.";
constexpr const char* a_renamed_directory = "renamed.";
constexpr const char* a_file = "file.";
constexpr const char* the_tree = "tree";

// Returns whether this is a directory of the tree: the prefix followed by a number.
bool is_branch(std::string_view name) {
  return name.starts_with(made_prefix) &&
         name.find_first_not_of("0123456789", made_prefix.size()) == std::string_view::npos;
}

std::uint64_t file_number(int owner, std::int64_t item) {
  constexpr unsigned bits_of_item = 40;  // most_items
  return (static_cast<std::uint64_t>(owner) << bits_of_item) + static_cast<std::uint64_t>(item);
}

}  // namespace

Items::Items(const Params& params, int folder, std::string path, int rank, std::uint64_t seed)
    : folder_(folder),
      path_(std::move(path)),
      rank_(rank),
      shared_(params.directories == "shared"),
      synchronise_(params.fsync == "yes"),
      in_each_(params.items / holders(params.depth, params.branch, params.holders == "leaves")),
      first_(directories(params.depth, params.branch) -
             holders(params.depth, params.branch, params.holders == "leaves")),
      tree_(params.depth, params.branch),
      read_(static_cast<std::size_t>(params.bytes)) {
  if (params.bytes > 0) contents_.emplace(seed, piece_bytes(params));
}

std::span<const std::byte> Items::contents(int owner, std::int64_t item) {
  if (!contents_) return {};
  return {contents_->piece(file_number(owner, item), 0), read_.size()};
}

std::string Items::root(int owner) const {
  std::string path = ours(the_tree);
  if (!shared_) path.append(".").append(std::to_string(owner));
  return path.append("/");
}

void Items::fail(const std::string& what, const std::string& path, int code) const {
  throw std::runtime_error("cannot " + what + " " + path_ + "/" + path + ": " + std::strerror(code));
}

std::int64_t Items::make_tree() const {
  const std::string root_path = root(rank_);
  for (std::int64_t directory = 0; directory < tree_.size(); ++directory) {
    const std::string path = root_path + tree_.path(directory);
    if (const int code = make_directory(folder_, path.c_str())) fail("make the directory", path, code);
  }
  return tree_.size();
}

std::int64_t Items::remove_tree() const {
  const std::string root_path = root(rank_);
  for (std::int64_t directory = tree_.size() - 1; directory >= 0; --directory) {
    const std::string path = root_path + tree_.path(directory);
    if (const int code = remove_directory(folder_, path.c_str())) fail("remove the directory", path, code);
  }
  return tree_.size();
}

template <class Call>
std::int64_t Items::each(const char* what, int owner, std::int64_t first, std::int64_t last, Pace& pace, Call call) {
  const std::string root_path = root(owner);
  const std::string name = ours(what) + std::to_string(owner) + ".";
  for (std::int64_t item = first; item < last;) {
    const std::int64_t directory = item / in_each_;
    name_.start(root_path + tree_.path(first_ + directory) + name);
    for (const std::int64_t end = std::min(last, (directory + 1) * in_each_); item < end; ++item) {
      if (pace.stop(item)) return item;
      call(name_.with(item), item);
    }
  }
  return last;
}

std::int64_t Items::make_directories(int owner, std::int64_t count, Pace& pace) {
  return each(a_directory, owner, 0, count, pace, [&](const char* path, std::int64_t /*item*/) {
    if (const int code = make_directory(folder_, path)) fail("make the directory", path, code);
  });
}

std::int64_t Items::ask_directories(int owner, std::int64_t count, Pace& pace, Wrong& wrong) {
  return each(a_directory, owner, 0, count, pace, [&](const char* path, std::int64_t /*item*/) {
    Entry entry;
    if (const int code = status(folder_, path, entry)) fail("ask about the directory", path, code);
    if (entry.kind != Kind::directory) wrong.add(std::string(path) + " is no directory");
  });
}

std::int64_t Items::rename_directories(int owner, std::int64_t count, Pace& pace) {
  std::int64_t of_name = -1;
  return each(a_directory, owner, 0, count, pace, [&](const char* path, std::int64_t item) {
    if (item / in_each_ != of_name) {
      of_name = item / in_each_;
      second_name_.start(root(owner) + tree_.path(first_ + of_name) + ours(a_renamed_directory) +
                         std::to_string(owner) + ".");
    }
    if (const int code = rename_directory(folder_, path, second_name_.with(item))) {
      fail("rename the directory", path, code);
    }
  });
}

std::int64_t Items::remove_directories(int owner, std::int64_t count, std::int64_t renamed, Pace& pace) {
  const auto remove = [&](const char* path, std::int64_t /*item*/) {
    if (const int code = remove_directory(folder_, path)) fail("remove the directory", path, code);
  };
  const std::int64_t done = each(a_renamed_directory, owner, 0, renamed, pace, remove);
  return done < renamed ? done : each(a_directory, owner, renamed, count, pace, remove);
}

std::int64_t Items::make_files(int owner, std::int64_t count, Pace& pace) {
  return each(a_file, owner, 0, count, pace, [&](const char* path, std::int64_t item) {
    if (const int code = create_file(folder_, path, contents(rank_, item), synchronise_))
      fail("write the file", path, code);
  });
}

std::int64_t Items::ask_files(int owner, std::int64_t count, Pace& pace, Wrong& wrong) {
  const auto bytes = static_cast<std::int64_t>(read_.size());
  return each(a_file, owner, 0, count, pace, [&](const char* path, std::int64_t /*item*/) {
    Entry entry;
    if (const int code = status(folder_, path, entry)) fail("ask about the file", path, code);
    if (entry.kind != Kind::file || entry.bytes != bytes) {
      wrong.add(std::string(path) + " is no file of " + std::to_string(bytes) + " bytes");
    }
  });
}

std::int64_t Items::read_files(int owner, std::int64_t count, Pace& pace) {
  return each(a_file, owner, 0, count, pace, [&](const char* path, std::int64_t /*item*/) {
    if (const int code = read_file(folder_, path, read_)) fail("read the file", path, code);
  });
}

std::int64_t Items::remove_files(int owner, std::int64_t count, Pace& pace) {
  return each(a_file, owner, 0, count, pace, [&](const char* path, std::int64_t /*item*/) {
    if (const int code = remove_file(folder_, path)) fail("remove the file", path, code);
  });
}

void Items::verify_files(int owner, std::int64_t count, Wrong& wrong) {
  if (!contents_) return;
  const std::string owner_text = std::to_string(owner);
  for (std::int64_t item = 0; item < count; ++item) {
    Interruption::check();
    const std::string path =
        root(owner) + tree_.path(first_ + item / in_each_) + ours(a_file) + owner_text + "." + std::to_string(item);
    if (const int code = read_file(folder_, path.c_str(), read_)) fail("read the file", path, code);
    if (const auto at = contents_->first_wrong(file_number(owner, item), 0, read_)) {
      wrong.add(path + " at byte " + std::to_string(*at) + ", written by rank " + owner_text);
    }
  }
}

void Items::find_left(int owner, int ranks, Wrong& wrong) const {
  const std::string root_path = root(owner);
  const std::int64_t step = shared_ ? ranks : 1;
  for (std::int64_t directory = shared_ ? rank_ : 0; directory < tree_.size(); directory += step) {
    const std::string path = root_path + tree_.path(directory);
    Descriptor opened(openat(folder_, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened) fail("list the directory", path, errno);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(opened.get()), closedir);
    if (!entries) fail("list the directory", path, errno);
    opened.release();
    while (const dirent* entry = readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != ".." && !is_branch(name)) wrong.add(path + name);
    }
  }
}

}  // namespace banzuke::mdtest
