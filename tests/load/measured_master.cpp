#include "tests/load/measured_master.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace ontime::load {
namespace {

namespace fs = std::filesystem;

std::string proc_file(pid_t pid, const char* name) {
  return test::read_file("/proc/" + std::to_string(pid) + "/" + name);
}

std::uint64_t number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
}

}  // namespace

Usage usage_of(pid_t pid) {
  Usage usage;
  const std::string status = proc_file(pid, "status");
  usage.resident_bytes = number_after(status, "VmRSS:") * 1024;
  usage.voluntary_switches = number_after(status, "\nvoluntary_ctxt_switches:");
  const std::string stat = proc_file(pid, "stat");
  const char* at = stat.c_str() + stat.rfind(')') + 1;
  for (int field = 2; field < 13; ++field) at = at + 1 + std::string(at + 1).find(' ');  // to before utime, the 14th
  char* end = nullptr;
  const auto user = std::strtoull(at, &end, 10);
  const auto system = std::strtoull(end, nullptr, 10);
  usage.cpu_seconds = static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  usage.descriptors = test::open_descriptors(pid);
  return usage;
}

std::uint64_t bytes_below(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(directory, error); !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code gone;
    const std::uint64_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

MeasuredMaster::MeasuredMaster(const Options& options) : options_(options) {}

void MeasuredMaster::start() {
  const std::string port_file = options_.directory + "/port";
  fs::remove(port_file);
  process_ = test::Process({options_.programs + "/ontime-master", "--journal", options_.directory + "/journal",
                            "--port-file", port_file, "--listen", "127.0.0.1:" + std::to_string(port_), "--heartbeat",
                            std::to_string(options_.heartbeat.count() / 1'000'000) + "ms", "--node-timeout", "15s",
                            "--journal-sync", options_.journal_sync ? "on" : "off"},
                           options_.directory + "/master-" + std::to_string(++starts_));
  while (!fs::exists(port_file)) {
    if (!process_.is_running()) throw std::runtime_error("the master ended: " + process_.output().err);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  port_ = static_cast<std::uint16_t>(std::stoul(test::read_file(port_file)));
}

int MeasuredMaster::stop() {
  process_.signal(SIGTERM);
  return process_.wait().status;
}

std::uint64_t MeasuredMaster::recording_bytes() const {
  return bytes_below(options_.directory + "/journal/recordings");
}
std::uint64_t MeasuredMaster::journal_bytes() const {
  return bytes_below(options_.directory + "/journal") - recording_bytes() -
         bytes_below(options_.directory + "/journal/access-points") -
         bytes_below(options_.directory + "/journal/history");
}

}  // namespace ontime::load
