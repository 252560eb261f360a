#pragma once
// Named places at which a program can be told to die, so that a test can crash it exactly there:
//
//   ONTIME_KILL_AT=NAME:N:FILE   the process that passes NAME for the N-th time (from 1) aborts, once: it makes FILE,
//                                and where FILE is already, nobody dies any more
//
// In every build, so that what is tested is what people run. Unarmed, a point costs the comparison of two integers, and
// all stand beside system calls. A user who can set a program's environment could kill it anyway. Any thread. The
// programs that workers start inherit the variable; each process counts for itself, a forked runner from 0.

#include <cstddef>
#include <iterator>
#include <string_view>

namespace ontime {

struct KillPointDescription {
  std::string_view name;
  std::string_view program;  // that passes it: master, worker, launcher, runner; "all": everything with connections
  std::string_view what;     // has been done when it dies there
};

// Every point, once. Those of one program in the order in which a job meets them.
inline constexpr KillPointDescription kKillPoints[] = {
    {"journal-before-first-write", "master", "the database is made, its id is not written"},
    {"journal-first-written", "master", "the id of a new journal is durable"},
    {"journal-read", "master", "all records are read, nobody can connect"},
    {"port-before-rename", "master", "the port file is written under its temporary name"},
    {"port-renamed", "master", "the port file is in its place"},
    {"recording-before-write", "master", "a block of the recording is about to be written"},
    {"recording-written", "master", "it is written"},
    {"claim-before-mkdir", "master", "a submission is good, its output is not claimed"},
    {"claim-directory-made", "master", "the directory above the claim is made, the claim is not"},
    {"claim-written", "master", "the claim is made under a temporary name"},
    {"claim-renamed", "master", "the claim is in its place, not synced"},
    {"claim-synced", "master", "the output is claimed, the job is unknown"},
    {"journal-before-write", "master", "a batch is about to be written"},
    {"journal-written", "master", "a batch is durable, nobody knows"},
    {"batch-before-actions", "master", "a batch is durable, none of its actions is performed"},
    {"action-performed", "master", "one action is performed"},
    {"actions-flushed", "master", "all actions of a batch are performed, their orders queued"},
    {"part-before-rename", "master", "an attempt's file is about to become a part"},
    {"part-renamed", "master", "it has become one"},
    {"stitch-created", "master", "the file into which pieces are copied is made"},
    {"stitch-copied", "master", "the pieces are copied, not synced"},
    {"stitch-synced", "master", "they are synced under the temporary name"},
    {"stitch-renamed", "master", "they are in their place"},
    {"parts-before-sync", "master", "all parts are in their place, the directory is not synced"},
    {"parts-synced", "master", "the directory is synced"},
    {"manifest-created", "master", "the manifest's temporary file is made"},
    {"manifest-before-sync", "master", "it is written, not synced"},
    {"manifest-before-rename", "master", "it is synced"},
    {"manifest-renamed", "master", "it is in its place, the directory is not synced"},
    {"manifest-synced", "master", "the directory is synced"},
    {"claim-released", "master", "the claim is gone, the attempts' files are there"},
    {"attempts-removed", "master", "the attempts' files are gone"},
    {"success-created", "master", "_SUCCESS is there, not synced"},
    {"success-synced", "master", "_SUCCESS is durable, that the job is done is not"},
    {"discard-before-parts", "master", "the output of a killed job is about to be removed"},
    {"discard-parts-removed", "master", "its parts are gone"},
    {"discard-attempts-removed", "master", "the attempts' files are gone, the directory is there"},
    {"discard-done", "master", "the directory is gone"},
    {"hdfs-file-written", "all", "a file in HDFS is whole, and still has its temporary name"},
    {"store-claim-created", "master", "an output in a store is claimed, the job is unknown"},
    {"store-part-before-copy", "master", "a segment's object is about to become a part"},
    {"store-parts-copied", "master", "all parts are there"},
    {"store-manifest-written", "master", "the manifest is there"},
    {"store-success-created", "master", "_SUCCESS is there, and the claim and all segments"},
    {"store-segments-removed", "master", "the segments are gone, the claim is there"},
    {"store-discard-before-objects", "master", "the objects of a killed job are about to be removed"},
    {"store-discard-before-claim", "master", "they are gone, the claim is there"},
    {"message-before-write", "all", "frames are about to be written to a connection"},
    {"message-written", "all", "they are with the kernel"},
    {"message-received", "all", "a frame has come, nothing is done about it"},
    {"registered", "worker", "the master has welcomed the worker"},
    {"order-before-obeyed", "worker", "an order has come"},
    {"order-obeyed", "worker", "it is carried out, as far as this process goes"},
    {"report-before-append", "worker", "something has happened that the master must know"},
    {"report-appended", "worker", "it waits to be sent"},
    {"report-acknowledged", "worker", "the master has made it durable"},
    {"store-segment-before-write", "worker", "an attempt has sealed a segment, whose object is not written"},
    {"store-segment-written", "worker", "the object is written, the master does not know of the seal"},
    {"spawn-before-order", "worker", "the launcher is about to be asked for a runner"},
    {"spawn-ordered", "worker", "it has been asked"},
    {"fork-before", "launcher", "a runner is asked for"},
    {"fork-done", "launcher", "it runs, the worker does not know it"},
    {"fork-reported", "launcher", "the worker knows it"},
    {"exit-before-report", "launcher", "a runner has ended and is reaped, the worker does not know it"},
    {"exit-reported", "launcher", "the worker knows it"},
    {"run-received", "runner", "an order has come from the worker"},
    {"output-before-create", "runner", "the attempt's file is about to be made"},
    {"output-created", "runner", "it is made"},
    {"output-before-write", "runner", "output is about to be written"},
    {"output-written", "runner", "it is written, not synced"},
    {"output-before-sync", "runner", "a segment's output is about to be synced"},
    {"output-synced", "runner", "the file is synced, its name may not be"},
    {"output-name-synced", "runner", "its name is synced too"},
    {"event-before-send", "runner", "the worker is about to be told something: a seal, say"},
    {"event-sent", "runner", "it is with the kernel"},
};

// The number of a point; a name that is not in the list does not compile.
class KillPoint {
 public:
  consteval KillPoint(const char* name) : index_(find(name)) {}  // NOLINT: implicit by intent
  constexpr int index() const { return index_; }

 private:
  static consteval int find(std::string_view name) {
    for (std::size_t i = 0; i < std::size(kKillPoints); ++i) {
      if (kKillPoints[i].name == name) return static_cast<int>(i);
    }
    throw "there is no kill point of that name";
  }
  const int index_;
};

extern const int armed_kill_point;  // -1: none
void pass_armed_kill_point();

inline void pass_kill_point(KillPoint point) {
  if (point.index() == armed_kill_point) [[unlikely]]
    pass_armed_kill_point();
}

}  // namespace ontime
