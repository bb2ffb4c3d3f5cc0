// For tests that run with one or more ranks.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/agreement.hpp"
#include "core/communicator.hpp"

namespace banzuke {

// A folder in `parent` that all ranks share. Construction and destruction are collective.
class SharedFolder {
 public:
  SharedFolder(const Communicator& ranks, const std::string& name,
               const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : ranks_(ranks),
        path_(parent / (name + "-" + std::to_string(of_first_rank(ranks, static_cast<std::uint64_t>(getpid()))))) {
    if (ranks.rank() == 0) std::filesystem::create_directory(path_);
    ranks.barrier();
  }
  ~SharedFolder() {
    ranks_.barrier();
    if (ranks_.rank() == 0) std::filesystem::remove_all(path_);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  const Communicator& ranks_;
  std::filesystem::path path_;
};

}  // namespace banzuke
