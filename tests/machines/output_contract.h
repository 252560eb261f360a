#pragma once
// What the tests of outputs have in common: a machine with a disk, one with a store, and the code that ships in
// between, from an attempt's bytes to _SUCCESS.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/http/store.h"
#include "common/store/access.h"
#include "common/store/name.h"
#include "master/outputs/output.h"
#include "tests/machines/output_scene.h"
#include "worker/agent/attempts/attempt_outputs.h"
#include "worker/data/segment_writer.h"

namespace ontime::lab::machines::test {

using master::CommitPlan;
using master::Output;
using testing::HasSubstr;

inline constexpr const char* kOurs = "ours-1";
inline constexpr const char* kTheirs = "ours-2";
inline constexpr std::uint32_t kTasks = 3;

inline bool always() { return true; }

// What a reader takes for a part: a file, or its pieces one after another.
inline std::string part_of(const Files& files, std::uint32_t task) {
  std::string bytes;
  for (const auto& [name, content] : files)
    if (name.starts_with(part_file_name(task))) bytes += content;
  return bytes;
}

class OutputContract : public testing::TestWithParam<const char*> {
 protected:
  OutputContract() { begin(1); }
  // Everything anew.
  void begin(std::uint64_t seed) { scene_ = std::make_unique<Scene>(GetParam(), seed); }
  Files files() const { return scene_->files(); }

  std::unique_ptr<Output> output(const std::string& claim = kOurs) const { return Output::at(scene_->name, claim); }
  // `below`: of the output, "/sub".
  Status claim(const std::string& claim = kOurs, const std::string& below = "") {
    Status claimed;
    scene_->run([&] {
      auto outcome = Output::at(scene_->name + below, claim)->claim();
      idle_claim_ = outcome.idle_claim;
      claimed = std::move(outcome.status);
    });
    return claimed;
  }
  Status publish(const std::string& claim = kOurs) {
    Status published;
    scene_->run([&] { published = output(claim)->publish(plan(claim), always).status; });
    return published;
  }
  Status discard(const std::string& claim = kOurs) {
    Status discarded;
    scene_->run([&] { discarded = output(claim)->discard(kTasks); });
    return discarded;
  }

  // An attempt in its process: what it appends is synced segment by segment.
  class Attempt {
   public:
    Attempt(const std::string& output, AttemptId id)
        : output_(taken(outputs_.create(output::attempts_directory(output, kOurs), id))),
          file_(taken(worker::OutputFile::create(output_->path()))) {}
    void seal(const std::string& bytes, bool is_wanted = true) {
      const std::uint64_t offset = file_.size();
      ASSERT_TRUE(file_.append(bytes));
      ASSERT_TRUE(file_.sync());
      bool is_done = false;
      const auto work = asio::make_work_guard(io_);
      output_->sync({offset, bytes.size()}, [&](const Status& status) {
        EXPECT_TRUE(status) << status.error().message;
        is_done = true;
        io_.stop();
        return is_wanted;
      });
      if (!is_done) io_.run();
      io_.restart();
    }

   private:
    template <class T, class E>
    static T taken(Result<T, E> made) {
      EXPECT_TRUE(made) << made.error().message;
      return std::move(*made);
    }

    asio::io_context io_;
    worker::AttemptOutputs outputs_{io_.get_executor()};
    std::unique_ptr<worker::AttemptOutput> output_;
    worker::OutputFile file_;
  };
  static AttemptId attempt(std::uint32_t task, std::uint32_t number) { return {{JobId{1}, task}, number}; }

  // Task 0: one attempt has mapped it, with a checkpoint. Task 1: two have, and the first one was fenced and has sealed
  // more. Task 2 has no output.
  void map() {
    scene_->run([&] {
      Attempt alone(scene_->name, attempt(0, 0));
      alone.seal("one ");
      alone.seal("two ");
      Attempt fenced(scene_->name, attempt(1, 0));
      fenced.seal("left ");
      fenced.seal("FENCED ");
      Attempt next(scene_->name, attempt(1, 1));
      next.seal("right ");
    });
  }
  static CommitPlan plan(const std::string& claim = kOurs) {
    CommitPlan plan;
    plan.manifest.claim = claim;
    plan.manifest.inputs = {{"/input", 300, "0", "plain"}};
    add_part(plan, {{"t00000-a0", 0, 4}, {"t00000-a0", 4, 4}}).may_rename = true;
    add_part(plan, {{"t00001-a0", 0, 5}, {"t00001-a1", 0, 6}});
    add_part(plan, {});
    return plan;
  }
  static master::Part& add_part(CommitPlan& plan, const std::vector<master::Extent>& extents) {
    const auto index = static_cast<std::uint32_t>(plan.parts.size());
    output::Task& task = plan.manifest.tasks.emplace_back();
    task.index = index;
    task.split = {index * 100u, index * 100u + 100};
    task.part = part_file_name(index);
    master::Part& part = plan.parts.emplace_back();
    part.name = task.part;
    part.extents = extents;
    for (const master::Extent& extent : extents) {
      output::Segment& segment = task.segments.emplace_back();
      segment.attempt = extent.file;
      segment.offset = part.length;
      segment.length = extent.length;
      part.length += extent.length;
    }
    return part;
  }

  // Everything that is to be there, and nothing else.
  void expect_published() const {
    const Files all = files();
    EXPECT_EQ(part_of(all, 0), "one two ");
    EXPECT_EQ(part_of(all, 1), "left right ");
    EXPECT_TRUE(all.contains(part_file_name(2)));
    EXPECT_EQ(part_of(all, 2), "");
    EXPECT_TRUE(all.contains(output::kManifestName) && all.contains(output::kSuccessName));
    for (const auto& [name, bytes] : all) {
      const bool is_known =
          name.starts_with("part-m-") || name == output::kManifestName || name == output::kSuccessName;
      EXPECT_TRUE(is_known) << name;
    }
  }
  // Dies at each thing that it does, and is repeated; `check` after that. Anew each time.
  void repeat_after_each_death(const std::function<void()>& prepare, const std::function<void()>& work,
                               const std::function<void()>& check) {
    int deaths = 0;
    for (bool has_died = true; has_died && !HasFailure(); ++deaths) {
      SCOPED_TRACE("death " + std::to_string(deaths + 1));
      begin(static_cast<std::uint64_t>(deaths) + 1);
      prepare();
      scene_->check = [this] {
        const Files all = files();
        if (all.contains(output::kSuccessName)) {
          EXPECT_EQ(part_of(all, 0) + part_of(all, 1), "one two left right ");
        }
      };
      has_died = scene_->run_and_kill(deaths + 1, work);
      scene_->check = [] {};
      if (deaths % 2 == 1) scene_->cut_power();
      scene_->run(work);
      scene_->settle();
      check();
    }
    RecordProperty("deaths", deaths);
    EXPECT_GT(deaths, 15);
  }

  std::unique_ptr<Scene> scene_;
  std::string idle_claim_;
};

}  // namespace ontime::lab::machines::test
