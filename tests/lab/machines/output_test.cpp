// What every output promises, whatever it lies in: one job has it, nothing of it is seen before all of it, and each
// step may be repeated wherever its process died. By the code that ships, from an attempt's bytes to _SUCCESS.
#include "master/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/http/store.h"
#include "common/store/access.h"
#include "common/store/name.h"
#include "lab/machines/hdfs_store.h"
#include "lab/machines/object_store.h"
#include "tests/lab/machines/small_cluster.h"
#include "worker/agent/attempt_outputs.h"
#include "worker/data/segment_writer.h"

namespace ontime::lab::machines::test {
namespace {

using master::CommitPlan;
using master::Output;
using testing::HasSubstr;
using Files = std::map<std::string, std::string>;

constexpr const char* kOurs = "ours-1";
constexpr const char* kTheirs = "ours-2";
constexpr std::uint32_t kTasks = 3;

bool always() { return true; }

// A machine with a disk, which runs everything that the test does, and one with a store.
class Scene {
 public:
  // `scheme`: of the output's name.
  explicit Scene(const std::string& scheme, std::uint64_t seed = 1) : small_(seed) {
    if (scheme == "webhdfs") {
      auto hdfs = std::make_unique<HdfsStore>(small_.cluster, small_.one);
      name = hdfs->root() + "/out";
      store_ = std::move(hdfs);
    } else {
      store_ = std::make_unique<ObjectStore>(small_.cluster, small_.one);
      name = scheme == "s3" ? "s3://lab/out" : "/out";
    }
    store_->name_in_environment();
    store_->start();
    run([] { ASSERT_EQ(::mkdir("/tmp", 0777), 0); });
  }

  void run(std::function<void()> body) { small_.run(small_.other, std::move(body)); }
  void run_both(std::function<void()> one, std::function<void()> other) {
    const pid_t first = small_.start(small_.other, std::move(one));
    const pid_t second = small_.start(small_.other, std::move(other));
    while ((small_.is_alive(first) || small_.is_alive(second)) && small_.cluster.world.step()) {
    }
  }
  // It is killed when it does the n-th thing to the disk or asks the store for it. False: it did less.
  bool run_and_kill(int n, std::function<void()> body) {
    int left = n;
    const pid_t id = small_.start(small_.other, std::move(body));
    const auto count = [&] {
      check();
      if (--left == 0) small_.cluster.send_signal(id, SIGKILL);
    };
    small_.cluster.on_disk_work = [&](Process& process, const Disk&, DiskWork) {
      if (process.id() == id) count();
    };
    store_->on_request = [&](const HttpRequest&, std::uint32_t, HttpStore::Moment) { count(); };
    while (small_.is_alive(id) && small_.cluster.world.step()) {
    }
    small_.cluster.on_disk_work = nullptr;
    store_->on_request = [](const HttpRequest&, std::uint32_t, HttpStore::Moment) {};
    return left <= 0;
  }
  void cut_power() {
    small_.cluster.cut_power(small_.other);
    small_.cluster.restore_power(small_.other);
  }
  // What was asked of the store by a process that has died is done.
  void settle() { small_.pass(std::chrono::minutes(1)); }

  // What lies there, by the names below the output.
  Files files() const {
    Files all;
    for (const auto& [key, object] : store_->objects()) all.emplace(key.substr(key.find('/') + 1), object.bytes);
    if (const InodePointer directory = small_.other.disk->find("/out")) add(*directory, "", all);
    return all;
  }
  // Called before each thing that run_and_kill() counts.
  std::function<void()> check = [] {};

  std::string name;  // of the output

 private:
  static void add(const Inode& directory, const std::string& prefix, Files& all) {
    for (const auto& [entry, inode] : directory.entries) {
      if (inode->is_directory())
        add(*inode, prefix + entry + "/", all);
      else
        all.emplace(prefix + entry, inode->bytes);
    }
  }

  SmallCluster small_;
  std::unique_ptr<HttpStore> store_;
};

// What a reader takes for a part: a file, or its pieces one after another.
std::string part_of(const Files& files, std::uint32_t task) {
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
  Status claim(const std::string& claim = kOurs) {
    Status claimed;
    scene_->run([&] {
      auto outcome = output(claim)->claim();
      idle_claim_ = outcome.idle_claim;
      claimed = std::move(outcome.status);
    });
    return claimed;
  }
  Status publish(const std::string& claim = kOurs) {
    Status published;
    scene_->run([&] { published = output(claim)->publish(plan(claim), always); });
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

TEST_P(OutputContract, BelongsToOneJobUntilThatGivesItBack) {
  ASSERT_TRUE(claim());
  const Status refused = claim(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(refused.error().message, HasSubstr("is being used by another job"));
  EXPECT_EQ(idle_claim_, kOurs);
  map();
  ASSERT_FALSE(claim(kTheirs));
  EXPECT_EQ(idle_claim_, "") << "it is not idle";
  ASSERT_TRUE(discard());
  EXPECT_TRUE(claim(kTheirs));
}

TEST_P(OutputContract, GoesToOneOfTwoJobsThatWantItAtOnce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    begin(seed);
    Status ours, theirs;
    scene_->run_both([&] { ours = output(kOurs)->claim().status; },
                     [&] { theirs = output(kTheirs)->claim().status; });
    EXPECT_NE(ours.has_value(), theirs.has_value()) << seed;
    const Status& refused = ours ? theirs : ours;
    EXPECT_THAT(refused ? "" : refused.error().message, HasSubstr("is being used by another job")) << seed;
  }
}

TEST_P(OutputContract, IsRefusedWhereSomethingIsAndOutsideOfTheRoots) {
  ASSERT_TRUE(claim());
  map();
  ASSERT_TRUE(publish());
  const Status refused = claim(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(refused.error().message, HasSubstr("is not empty"));
  Status outside;
  const auto roots = files::Roots::of_resolved({"/elsewhere", "s3://lab/elsewhere", "webhdfs://elsewhere/"});
  scene_->run([&] { outside = Output::at(scene_->name, kTheirs, roots)->claim().status; });
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(outside.error().message, HasSubstr("lies outside of the directories that this cluster writes to"));
  expect_published();
}

TEST_P(OutputContract, ShowsNothingBeforeItIsPublished) {
  ASSERT_TRUE(claim());
  map();
  for (const auto& [name, bytes] : files()) EXPECT_TRUE(name.starts_with("_attempts/") || name == "_claim") << name;
  ASSERT_TRUE(publish());
  expect_published();
  ASSERT_TRUE(publish()) << "again";
  ASSERT_TRUE(discard()) << "which leaves what is published";
  expect_published();
}

TEST_P(OutputContract, IsPublishedByItsOwnJobOnly) {
  ASSERT_TRUE(claim());
  map();
  const Files before = files();
  const Status refused = publish(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is not this job's any more"));
  ASSERT_TRUE(discard(kTheirs));
  EXPECT_EQ(files(), before);
  ASSERT_TRUE(discard());
  EXPECT_FALSE(publish());
  EXPECT_EQ(files(), Files());
}

TEST_P(OutputContract, IsTheSameWhereverItsPublishingDied) {
  repeat_after_each_death(
      [this] {
        ASSERT_TRUE(claim());
        map();
      },
      [this] { EXPECT_TRUE(output()->publish(plan(), always)); }, [this] { expect_published(); });
}

TEST_P(OutputContract, LeavesNothingWhereverItsDiscardingDied) {
  repeat_after_each_death(
      [this] {
        ASSERT_TRUE(claim());
        map();
        int steps = 0;
        scene_->run([&] { EXPECT_FALSE(output()->publish(plan(), [&] { return ++steps < 3; })); });
      },
      [this] { EXPECT_TRUE(output()->discard(kTasks)); },
      [this] {
        EXPECT_EQ(files(), Files());
        EXPECT_TRUE(claim(kTheirs));
      });
}

TEST_P(OutputContract, NeverHoldsWhatAFencedAttemptWritesLater) {
  ASSERT_TRUE(claim());
  map();
  scene_->run([&] {
    Attempt fenced(scene_->name, attempt(1, 2));
    fenced.seal("right ");
    CommitPlan from_it = plan();
    from_it.parts[1].extents[1].file = "t00001-a2";
    ASSERT_TRUE(output()->publish(from_it, always));
    fenced.seal("LATE ", false);
  });
  scene_->settle();
  expect_published();
}

// A DataNode goes on with a file whose writer was killed, perhaps after the job has ended.
class OutputInHdfs : public OutputContract {};
TEST_P(OutputInHdfs, StaysRemovedWhereAWriteComesLate) {
  ASSERT_TRUE(claim());
  map();
  ASSERT_TRUE(discard());
  ASSERT_TRUE(claim(kTheirs));
  scene_->run([&] {
    const auto store = store::open(*store::parse_name(scene_->name));
    EXPECT_FALSE(store->write("out/_attempts/ours-1/t00000-a0.8", http::content_of("LATE ")));
  });
  for (const auto& [name, bytes] : files()) EXPECT_EQ(name, "_claim");
}

INSTANTIATE_TEST_SUITE_P(Places, OutputInHdfs, testing::Values("webhdfs"));
INSTANTIATE_TEST_SUITE_P(Places, OutputContract, testing::Values("directory", "s3", "webhdfs"),
                         [](const auto& place) { return std::string(place.param); });

}  // namespace
}  // namespace ontime::lab::machines::test
