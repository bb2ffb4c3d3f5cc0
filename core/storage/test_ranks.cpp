// The work folder and failures that ranks agree on; run with one or more ranks. Exit status 1 if something is wrong.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "core/agreement.hpp"
#include "core/storage/testing.hpp"
#include "core/storage/work_folder.hpp"
#include "core/testing.hpp"

namespace {

using namespace banzuke;
namespace fs = std::filesystem;

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks), shared_(ranks, "work-folder") {}

  void agreement() {
    name_ = "agreement";
    expect(
        of_first_rank(ranks_, 0xFEDCBA9876543210U - static_cast<std::uint64_t>(ranks_.rank())) == 0xFEDCBA9876543210U,
        "rank 0's number");
    agree(ranks_, "");
    const int last = ranks_.size() - 1;
    std::string words;
    try {
      together(ranks_, [&] {
        if (ranks_.rank() >= last / 2) throw std::runtime_error("no space: \xC3\xA9");
      });
    } catch (const CommonFailure& error) {
      words = error.what();
    }
    const std::string rank =
        ranks_.size() > 1 ? "rank " + std::to_string(last / 2) + " on " + Communicator::host() + ": " : "";
    expect(words == rank + "no space: \xC3\xA9", "the first rank's words, on every rank");
  }

  void work_folder() {
    name_ = "work folder";
    fs::path path;
    {
      WorkFolder work(folder_.string(), "test", ranks_);
      path = work.path();
      expect(work.common() && work.left().empty(), "one folder for all");
      const std::string name = std::string(made_prefix) + std::to_string(ranks_.rank());
      const Descriptor file(openat(work.descriptor(), name.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600));
      expect(static_cast<bool>(file), "files can be made");
      ranks_.barrier();
      expect(entries(path) == ranks_.size() + 1, "files of all ranks and the mark");
      work.remove(ranks_);
      expect(!fs::exists(path), "it is removed when asked");
    }
    {
      const WorkFolder work(folder_.string(), "test", ranks_);
      path = work.path();
      if (ranks_.rank() == 0) std::ofstream(path / "bz.0") << "x";
      ranks_.barrier();
    }
    ranks_.barrier();
    expect(!fs::exists(path) && entries(folder_) == 0, "it is removed with the object");
    ranks_.barrier();
  }

  // Leftovers of a killed run are removed; what may belong to another stays.
  void leftovers() {
    name_ = "leftovers";
    if (ranks_.rank() == 0) {
      Mark gone = Mark::of_this_process("banzuke-test");
      gone.began += 1;
      leave(".banzuke-test-1", gone.text());
      Mark other = gone;
      other.host = "another";
      leave(".banzuke-test-2", other.text());
      leave(".banzuke-test-3", "no mark");
      fs::create_directory(folder_ / ".banzuke-test-6");
      fs::last_write_time(folder_ / ".banzuke-test-6", fs::file_time_type::clock::now() - std::chrono::minutes(2));
      fs::create_directory(folder_ / ".banzuke-test-7");
      fs::create_directory(folder_ / "banzuke-test-4");
      fs::create_directory_symlink(folder_ / "banzuke-test-4", folder_ / ".banzuke-test-5");
    }
    ranks_.barrier();
    WorkFolder work(folder_.string(), "test", ranks_);
    ranks_.barrier();
    expect(!fs::exists(folder_ / ".banzuke-test-1"), "what a process that is gone left is removed");
    expect(fs::exists(folder_ / ".banzuke-test-2/bz.file"), "another host's stays");
    expect(fs::exists(folder_ / ".banzuke-test-3/bz.file"), "what has no mark stays");
    expect(!fs::exists(folder_ / ".banzuke-test-6"), "what was killed before it wrote its mark is removed");
    expect(fs::exists(folder_ / ".banzuke-test-7"), "what may write its mark right now stays");
    expect(fs::is_symlink(folder_ / ".banzuke-test-5"), "links stay");
    if (ranks_.rank() == 0) expect(work.left().size() == 3, "what stays is told");
    work.remove(ranks_);
    if (ranks_.rank() == 0) {
      for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    }
    ranks_.barrier();
  }

  void refused() {
    name_ = "refused";
    fails((folder_ / "nowhere").string(), "No such file or directory");
    if (ranks_.rank() == 0) std::ofstream(folder_ / "file") << "x";
    ranks_.barrier();
    fails((folder_ / "file").string(), "Not a directory");
  }

  void foreign_file() {
    name_ = "foreign file";
    std::string words;
    {
      WorkFolder work(folder_.string(), "test", ranks_);
      if (ranks_.rank() == 0) std::ofstream(fs::path(work.path()) / "thesis") << "x";
      try {
        work.remove(ranks_);
      } catch (const CommonFailure& error) {
        words = error.what();
      }
      expect(words.find("thesis: not made by this program") != std::string::npos, words.c_str());
      expect(fs::exists(fs::path(work.path()) / "thesis"), "a foreign file stays");
    }
  }

 private:
  void leave(const std::string& name, const std::string& mark) {
    fs::create_directory(folder_ / name);
    std::ofstream(folder_ / name / "mark") << mark;
    std::ofstream(folder_ / name / "bz.file") << "x";
  }
  static int entries(const fs::path& path) {
    return static_cast<int>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  void fails(const std::string& folder, const std::string& why) {
    std::string words;
    try {
      const WorkFolder work(folder, "test", ranks_);
    } catch (const CommonFailure& error) {
      words = error.what();
    }
    expect(words.find("cannot open the folder " + folder) != std::string::npos && words.find(why) != std::string::npos,
           words.c_str());
  }

  SharedFolder shared_;
  fs::path folder_ = shared_.path();
};

int run(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  cases.agreement();
  cases.work_folder();
  cases.leftovers();
  cases.refused();
  cases.foreign_file();
  return cases.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
