#pragma once
// A notice that this machine ends soon, as hosts of machines that may be taken away give it: a file that appears, or an
// address that answers, or what one of three clouds says of its machines. Looked for on a thread of its own, since a
// file system or a server may keep who asks waiting.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/base/time.h"
#include "worker/agent/cloud_notice.h"

namespace ontime::worker {

class EndingNotice {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // `place`: a file, an address, or the name of a cloud. `on_given` is called once, on the thread. REQUIRES for what is
  // no file: store::load_network() has succeeded.
  EndingNotice(std::string place, std::function<void()> on_given);
  ~EndingNotice();
  EndingNotice(const EndingNotice&) = delete;

 private:
  bool is_given();
  void watch();

  const std::string place_;
  const std::function<void()> on_given_;
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::condition_variable ends_;
  std::optional<CloudNotice> cloud_;  // if the place is one
  std::thread thread_;
};

}  // namespace ontime::worker
