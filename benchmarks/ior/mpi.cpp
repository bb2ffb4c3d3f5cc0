#include <mpi.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "file.hpp"

namespace banzuke::ior {

void check_backend(const Params& params) {
  if (params.queue_depth != 1) {
    throw UsageError("queue_depth: the backend mpi has one transfer under way", {{{"queue_depth", 1}}});
  }
  if (params.direct()) {
    throw UsageError("access: the backend mpi leaves it to MPI how the file is opened", {{{"access", "buffered"}}});
  }
  if (params.synchronised_each() && params.shared() && params.collective == "no") {
    throw UsageError("fsync: ranks synchronise a shared file together, but do not write it together",
                     {{{"collective", "yes"}}, {{"files", "per-process"}}, {{"fsync", "yes"}}});
  }
}

struct File::Impl {
  explicit Impl(const Params& params, std::string file_name)
      : name(std::move(file_name)),
        transfer(static_cast<int>(params.transfer)),
        collective(params.collective == "yes") {}
  ~Impl() {
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string name;
  int transfer;
  bool collective;
  MPI_File file = MPI_FILE_NULL;
  std::string failure;

  static std::string words(int status) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    const std::string all(text.data(), static_cast<std::size_t>(length));
    // MPICH lists the functions that the error passed through, one per line; the last one gives the reason.
    const auto last = all.rfind(": ");
    return all.find('\n') == std::string::npos || last == std::string::npos ? all : all.substr(last + 2);
  }

  void check(int status, const std::string& what) {
    if (status != MPI_SUCCESS) fail("cannot " + what + ": " + words(status));
  }

  // Ranks that transfer collectively must all go on, so the first failure is kept and reported when all are done.
  void fail(const std::string& why) {
    if (!collective) throw std::runtime_error(why);
    if (failure.empty()) failure = why;
  }

  void moved(const char* verb, std::int64_t offset, int status, const MPI_Status& result) {
    if (status != MPI_SUCCESS) return fail("cannot " + attempted(verb, transfer, offset, name) + ": " + words(status));
    int bytes = 0;
    MPI_Get_count(&result, MPI_BYTE, &bytes);
    if (bytes != transfer) {
      fail("cannot " + attempted(verb, transfer, offset, name) + ": only " + std::to_string(bytes) + " were moved");
    }
  }
};

File::File(const Params& params, const Opening& opening) : impl_(make_hidden<Impl>(params, opening.path())) {
  int mode = opening.direction == Direction::read ? MPI_MODE_RDONLY : MPI_MODE_WRONLY;
  if (opening.create) mode |= MPI_MODE_CREATE | MPI_MODE_EXCL;
  const int status = MPI_File_open(params.shared() ? MPI_COMM_WORLD : MPI_COMM_SELF, impl_->name.c_str(), mode,
                                   MPI_INFO_NULL, &impl_->file);
  if (status != MPI_SUCCESS) throw std::runtime_error("cannot open " + impl_->name + ": " + Impl::words(status));
}

void File::write(const std::byte* data, std::int64_t offset) {
  const auto call = impl_->collective ? MPI_File_write_at_all : MPI_File_write_at;
  MPI_Status result{};
  const int status = call(impl_->file, offset, data, impl_->transfer, MPI_BYTE, &result);
  impl_->moved("write", offset, status, result);
}

void File::read(std::byte* data, std::int64_t offset) {
  const auto call = impl_->collective ? MPI_File_read_at_all : MPI_File_read_at;
  MPI_Status result{};
  const int status = call(impl_->file, offset, data, impl_->transfer, MPI_BYTE, &result);
  impl_->moved("read", offset, status, result);
}

void File::wait(std::span<const std::byte> /*memory*/) {}

void File::wait() {
  // MPI does not report the failure of an earlier transfer again.
  if (!impl_->failure.empty()) throw std::runtime_error(std::exchange(impl_->failure, {}));
}

void File::sync() { impl_->check(MPI_File_sync(impl_->file), "write " + impl_->name + " to the storage"); }

void File::close() {
  impl_->check(MPI_File_close(&impl_->file), "close " + impl_->name);
  wait();
}

}  // namespace banzuke::ior
