#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "common/base/crc32c.h"
#include "master/recording/entry.h"

namespace ontime::recording {
namespace {

namespace action = scheduler::action;

// Every number as 8 bytes, little endian, so that the checksum is the same on every machine.
class Digest {
 public:
  void add(std::initializer_list<std::uint64_t> numbers) {
    std::array<unsigned char, 8 * kNumbersMax> bytes{};
    std::size_t size = 0;
    for (const std::uint64_t number : numbers) {
      for (unsigned shift = 0; shift < 64; shift += 8) bytes[size++] = static_cast<unsigned char>(number >> shift);
    }
    crc_ = crc32c(crc_, bytes.data(), size);
  }
  void add(std::string_view text) {
    add({text.size()});
    crc_ = crc32c(crc_, text.data(), text.size());
  }
  std::uint32_t value() const { return crc_; }

  void operator()(const action::LaunchAttempt& a) {
    add({a.node.value, a.attempt.task.job.value, a.attempt.task.index, a.attempt.number, a.range.begin, a.range.end,
         a.standby});
  }
  void operator()(const action::BeginAttempt& a) {
    add({a.node.value, a.attempt.task.job.value, a.attempt.task.index, a.attempt.number, a.range.begin, a.range.end});
  }
  void operator()(const action::CutAttempt& a) {
    add({a.node.value, a.attempt.task.job.value, a.attempt.task.index, a.attempt.number, a.at, a.release});
  }
  void operator()(const action::KillAttempt& a) {
    add({a.node.value, a.attempt.task.job.value, a.attempt.task.index, a.attempt.number});
    add(a.reason);
  }
  void operator()(const action::WelcomeNode& a) {
    add({a.node.value, a.fenced.size()});
    for (const AttemptId id : a.fenced) add({id.task.job.value, id.task.index, id.number});
  }
  void operator()(const action::DropNode& a) { add({a.node.value}); }
  void operator()(const action::ReleaseNode& a) { add({a.node.value}); }
  void operator()(const action::CommitOutput& a) { add({a.job.value}); }
  void operator()(const action::DiscardOutput& a) { add({a.job.value}); }
  void operator()(const action::ForgetJob& a) { add({a.node.value, a.job.value}); }
  void operator()(const action::AnswerSubmit& a) { add({a.request, a.job.value, a.tasks}); }

 private:
  static constexpr std::size_t kNumbersMax = 8;
  std::uint32_t crc_ = 0;
};

}  // namespace

std::uint32_t checksum_of(std::span<const scheduler::Action> actions) {
  Digest digest;
  for (const scheduler::Action& action : actions) {
    digest.add({action.index()});
    std::visit(digest, action);
  }
  return digest.value();
}

}  // namespace ontime::recording
