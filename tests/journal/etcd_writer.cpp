// A master as far as a journal in etcd sees one: waits to lead, checks that it reads all that others were told is
// stored, and appends until it leads no more. A test kills and stops it.
//
//   etcd_writer ADDRESS DIRECTORY NAME LEASE_MS
//
// In the directory: `acks` has a line "LEADERSHIP NUMBER" for each batch that is stored, `leaders` a line "LEADERSHIP
// NAME", `wrong` what must not be.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/journal/etcd_records.h"

namespace {

using namespace ontime;
using namespace ontime::journal;

class Writer {
 public:
  Writer(EtcdJournal& journal, std::string directory, std::string name)
      : journal_(journal), directory_(std::move(directory)), name_(std::move(name)) {}

  int run() {
    const Status leads = journal_.lead([](const std::string&) {});
    if (!leads) return fail(leads.error());
    const std::vector<Mark> acknowledged = read_acks();  // before anything of this leadership
    Status status;
    const std::vector<Mark> marks = marks_in(journal_, status);
    if (!status) write_line("wrong", name_ + ": " + status.error().message);
    const std::set<Mark> stored(marks.begin(), marks.end());
    if (!std::is_sorted(marks.begin(), marks.end()) || stored.size() != marks.size())
      write_line("wrong", name_ + " reads batches out of order or twice");
    for (const Mark& mark : acknowledged) {
      if (!stored.contains(mark))
        write_line("wrong", name_ + " misses " + std::to_string(mark.leadership) + " " + std::to_string(mark.number));
    }
    const std::uint32_t leadership = marks.empty() ? 1 : marks.back().leadership + 1;
    for (std::uint32_t number = 0;; ++number) {
      if (Status stored_one = append({leadership, number}); !stored_one) return fail(stored_one.error());
      write_line("acks", std::to_string(leadership) + " " + std::to_string(number));
      if (number == 0) write_line("leaders", std::to_string(leadership) + " " + name_);
    }
  }

 private:
  // One in twenty is of several parts.
  Status append(const Mark& mark) {
    std::vector<scheduler::JournalRecord> batch{record_of(mark)};
    const std::uint32_t job = 100 + mark.number;
    batch.push_back(large_record(job, mark.number % 20 == 7 ? 3 * kEtcdPartBytes / 2 : 2000));
    if (mark.number > 0) batch.push_back(forget(job - 1));
    Status status = journal_.append(batch);
    while (!status && status.error().kind == ErrorKind::Unavailable) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      status = journal_.append_again(batch);
    }
    return status;
  }

  std::vector<Mark> read_acks() const {
    std::vector<Mark> marks;
    std::ifstream file(directory_ + "/acks");
    for (Mark mark; file >> mark.leadership >> mark.number;) marks.push_back(mark);
    return marks;
  }

  // In one call, so that lines of several writers do not mix.
  void write_line(const std::string& file, const std::string& line) const {
    const int to = ::open((directory_ + "/" + file).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string bytes = line + "\n";
    if (::write(to, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    ::close(to);
  }

  int fail(const Error& error) const {
    std::cerr << name_ << ": " << error.message << std::endl;
    return 3;
  }

  EtcdJournal& journal_;
  const std::string directory_;
  const std::string name_;
};

}  // namespace

int main(int, char** arguments) {
  EtcdSettings settings;
  settings.lease = std::chrono::milliseconds(std::atoi(arguments[4]));
  settings.name = arguments[3];
  settings.log_bytes_min = 256u << 10;
  const auto address = parse_etcd_address(arguments[1]);
  auto journal = EtcdJournal::open(address.value(), settings);
  if (!journal) {
    std::cerr << journal.error().message << std::endl;
    return 3;
  }
  return Writer(**journal, arguments[2], arguments[3]).run();
}
