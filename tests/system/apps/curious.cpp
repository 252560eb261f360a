// Tries what an attempt may and may not do, once for each line of its input: the line says what.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "common/app/application.h"

extern char** environ;

namespace {

using namespace ontime::app;

class Curious final : public Mapper {
 public:
  void map(const Batch& batch, Output& out) override {
    for (const Line line : batch.lines()) try_out(std::string(line.text), out);
  }

 private:
  void try_out(const std::string& what, Output& out) {
    if (what == "status") show_file("/proc/self/status", out);
    if (what == "limits") show_file("/proc/self/limits", out);
    if (what == "cgroup") show_file("/proc/self/cgroup", out);
    if (what == "environment") show_environment(out);
    if (what == "descriptors") show_descriptors(out);
    if (what == "memory") allocate();
    if (what == "files") open_files();
    if (what == "processes") fork_children();
    if (what == "cpu") spin();
    if (what.starts_with("read ")) out.record(what, could(what.substr(5), O_RDONLY));
    if (what.starts_with("write ")) out.record(what, could(what.substr(6), O_WRONLY | O_CREAT));
  }

  static void show_file(const char* path, Output& out) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) out.write(line + "\n");
  }

  static void show_environment(Output& out) {
    for (char** entry = environ; *entry != nullptr; ++entry) out.write(std::string(*entry) + "\n");
  }

  static void show_descriptors(Output& out) {
    DIR* const all = ::opendir("/proc/self/fd");
    if (all == nullptr) return;
    while (const dirent* entry = ::readdir(all)) {
      const std::string name = entry->d_name;
      if (name[0] == '.' || name == std::to_string(::dirfd(all))) continue;
      std::vector<char> place(4096);
      const ssize_t size = ::readlinkat(::dirfd(all), name.c_str(), place.data(), place.size());
      out.record(name, std::string(place.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
    }
    ::closedir(all);
  }

  // At most 4 GiB, none of it touched.
  void allocate() {
    for (int i = 0; i < 256; ++i) memory_.push_back(std::make_unique_for_overwrite<char[]>(16u << 20));
  }

  static void open_files() {
    for (int i = 0; i < 100'000; ++i) {
      if (::open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
        throw std::system_error(errno, std::generic_category(), "open");
    }
  }

  static void fork_children() {
    for (int i = 0; i < 500; ++i) {
      const pid_t child = ::fork();
      if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
      if (child == 0) {
        for (;;) ::pause();
      }
    }
  }

  [[noreturn]] static void spin() {
    for (volatile unsigned long long turns = 0;;) turns = turns + 1;
  }

  static std::string could(const std::string& path, int flags) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (file < 0) return std::strerror(errno);
    ::close(file);
    return "yes";
  }

  std::vector<std::unique_ptr<char[]>> memory_;
};

class CuriousApplication final : public Application {
 public:
  std::string description() const override { return "tries what it may do (for tests)"; }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<Curious>(); }
};

}  // namespace

ONTIME_APPLICATION(CuriousApplication)
