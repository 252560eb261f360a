#pragma once
// What an operator may set, with its defaults, and the bounds that nobody needs to set.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/limits.h"
#include "common/base/time.h"
#include "common/files/roots.h"
#include "common/injection/injection.h"
#include "common/net/tls_identity.h"
#include "common/net/token.h"
#include "scheduler/core/history.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/resource_manager.h"

namespace ontime::scheduler {
enum class JobOrder : std::uint8_t;
}

namespace ontime::master {

// What a job gets that does not name a policy.
using scheduler::PolicyChoice;

using files::JobRoots;

// Tells people what a serialized wire::NoticeToTell says, in another process. `done` is called in
// this thread, now or later: why it could not be told, or "".
using Tell = std::function<void(const std::string& notice, std::function<void(const std::string& problem)> done)>;

struct NoticeSettings {
  std::vector<std::string> otherwise;  // of jobs that ask for none themselves
  // What a client needs for a job that runs a command of this master's user; nothing: no client has it.
  std::optional<net::Right> command_right = net::Right::Submit;
  bool is_command_right_given = false;  // else it follows from who may connect
  std::string secret;                   // that signs what is posted; empty: none
  Tell tell;                            // null: nobody hears anything
};

struct Settings {
  Duration node_timeout = std::chrono::seconds(5);
  Duration heartbeat = std::chrono::milliseconds(200);
  Duration cut_timeout = std::chrono::seconds(3);  // an attempt that does not answer a cut for so long is ended
  scheduler::Placement placement;
  std::optional<scheduler::JobOrder> job_order;  // for all jobs; none: each by its policy
  double owner_share = 1;            // of slots, and of the room for jobs: the most for the jobs of one owner
  scheduler::HistoryLimits history;  // what is remembered of jobs that have ended
  PolicyChoice policy;
  bool journal_sync = true;  // what is promised survives a power cut
  JobRoots roots;
  std::uint32_t advise = 0;  // not 0: it advises a Hadoop that runs so many map tasks at once, and runs no jobs itself
  net::Tokens tokens;        // workers and clients must know one, if there are any
  net::TlsPointer tls;       // null: connections are not encrypted
  Duration stuck_max = std::chrono::seconds(15);  // that a peer does not read what it is sent
  // Of a journal that masters share: the longest that nobody leads. 0: there is one master.
  Duration lease = Duration(0);
  Duration idle_max = std::chrono::minutes(10);   // that a client asks for nothing; it may come again
  std::optional<injection::Injection> injection;  // what disturbs attempts on purpose
  NoticeSettings notices;
  std::string index_directory;                       // see IndexStore
  std::string shared_index_directory;                // see there
  std::string history_directory;                     // see HistoryStore
  std::uint64_t history_bytes_max = 256ull << 20;    // of all files in it; 0: nothing is kept
  std::uint64_t recording_bytes_max = 256ull << 20;  // of all recordings of the journal; 0: nothing is recorded
};

// Bounds on what others may send; see reports.cpp and submission.cpp for the sentences they get.
// Each kind of connection has its own bound, so that no kind of peer keeps the others out.
inline constexpr std::size_t kHalfOpenMax = 1024;     // not authenticated yet; the oldest is closed for a new one
inline constexpr std::size_t kVisitorsMax = 1024;     // clients that may not end other's jobs; the idlest is closed
inline constexpr std::size_t kControllersMax = 1024;  // clients that may; likewise
inline constexpr std::size_t kWorkersMax = 2048;      // a further one is refused, and tries again
inline constexpr std::size_t kConnectionsMax = kHalfOpenMax + kVisitorsMax + kControllersMax + kWorkersMax;
inline constexpr int kSendBufferBytes = 256 << 10;        // of the kernel, for one peer
inline constexpr std::size_t kOutboxBytesMax = 8u << 20;  // that wait for one peer to read them
// A worker leaves a connection on which it has heard nothing for the node time-out, but not for less than this.
inline constexpr Duration kSilenceMin = std::chrono::seconds(5);
inline constexpr Duration kHandshakeMax = std::chrono::seconds(5);
inline constexpr Duration kLongPollMax = std::chrono::seconds(10);
inline constexpr std::uint32_t kSlotsMax = 4096;
inline constexpr std::uint32_t kContainersMax = 100'000;  // that --advise knows
inline constexpr std::uint32_t kTasksMax = kTasksOfJobMax;
inline constexpr std::uint32_t kFilesMax = 1'000'000;  // that a job reads: each takes memory, and journal
inline constexpr std::size_t kNameBytesMax = 256;
inline constexpr std::size_t kPathBytesMax = 4096;
inline constexpr std::size_t kMessageBytesMax = 1024;     // of an attempt's failure sentence
inline constexpr std::size_t kStderrTailBytesMax = 4096;  // shown with it
inline constexpr std::size_t kStderrLinesMax = 20;
// Of jobs, task details or explanations in one reply: little enough that nobody else waits long for the control thread.
inline constexpr std::size_t kReplyBytesMax = 128u << 10;

}  // namespace ontime::master
