#include "master/mounts/file_work.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/log/fields.h"
#include "master/mounts/file_system.h"

namespace ontime::master {

// One job from start() to its end, with a thread or waiting for one.
struct FileWork::Running {
  Job job;
  Mounts mounts = Mounts({});
  std::string path;   // where it leads, as far as is known
  std::string mount;  // that it works on or waits for
  bool has_thread = false;
  bool is_stuck = false;
  bool has_answered = false;
  std::uint64_t seen = 0;  // of `progress`, when the watch last looked
  std::chrono::steady_clock::time_point got_on_at = std::chrono::steady_clock::now();  // when that had changed
  std::atomic<std::uint64_t> progress = 0;
  std::atomic<bool> may_go_on = true;
  std::unique_ptr<asio::steady_timer> watch;
};

// Shared with the threads, and outlives the FileWork with those that hang. All of it is the control thread's but for
// what the mutex guards.
struct FileWork::State : std::enable_shared_from_this<State> {
  using RunningPointer = std::shared_ptr<Running>;
  struct Mount {
    std::list<RunningPointer> waiting;
    std::size_t busy = 0;   // threads that get on
    std::size_t stuck = 0;  // threads that hang
  };

  State(asio::any_io_executor executor, Limits some) : control(std::move(executor)), limits(some) {}

  void place(const RunningPointer& one) {
    one->mount = one->mounts.of(one->path);
    mounts[one->mount].waiting.push_back(one);
    start_threads();
  }

  // What hangs on some mounts leaves threads for the others.
  void start_threads() {
    const std::size_t stuck_max = stuck < limits.stuck_all ? limits.stuck : 1;
    for (auto& [point, mount] : mounts) {
      while (!mount.waiting.empty() && mount.busy < limits.threads && mount.stuck <= stuck_max) {
        if (!start_thread(mount.waiting.front())) return;
        mount.waiting.pop_front();
        ++mount.busy;
      }
    }
  }

  // False if the system has no thread left; the next job that ends or is looked at tries again.
  bool start_thread(const RunningPointer& one) {
    const std::lock_guard lock(mutex);
    try {
      std::thread([state = shared_from_this(), one] { state->run(one); }).detach();
    } catch (const std::system_error& error) {
      spdlog::error("thread_not_started reason={}", log::Quoted{error.what()});
      return false;
    }
    ++alive;
    one->has_thread = true;
    one->got_on_at = std::chrono::steady_clock::now();
    return true;
  }

  // On a thread of its own. Leaves the mount if a link leads to another one.
  void run(const RunningPointer& one) {
    std::string path;
    bool is_elsewhere = false;
    Status status;
    try {
      const ProgressOf counted(one->progress);
      path = one->mounts.follow(one->path);
      is_elsewhere = one->mounts.of(path) != one->mount;
      const MayGoOn may_go_on = [one] {
        note_progress();
        return one->may_go_on.load();
      };
      if (!is_elsewhere && one->may_go_on) one->job.work(may_go_on);
    } catch (const std::exception& error) {
      // What others name and send goes through many hands here: it must not end the master, again at each start.
      status = failed("The work on '" + one->job.path + "' failed: " + error.what());
      spdlog::error("file_work_failed path={} reason={}", log::Quoted{one->job.path}, log::Quoted{error.what()});
    }
    const std::lock_guard lock(mutex);
    --alive;
    ended.notify_all();
    if (is_over) return;
    asio::post(control,
               [state = shared_from_this(), one, path = std::move(path), is_elsewhere, status = std::move(status)] {
                 if (state->is_over) return;
                 state->on_thread_ended(one);
                 if (is_elsewhere && !one->has_answered) {
                   one->path = path;
                   state->place(one);
                 } else {
                   if (!status && !one->has_answered) state->answer(one, status);
                   state->answer(one, {});
                   state->start_threads();
                 }
               });
  }

  void on_thread_ended(const RunningPointer& one) {
    Mount& mount = mounts[one->mount];
    if (one->is_stuck) set_stuck(*one, mount, false);
    --mount.busy;
    one->has_thread = false;
    if (mount.busy + mount.stuck == 0 && mount.waiting.empty()) mounts.erase(one->mount);
  }

  void answer(const RunningPointer& one, Status status) {
    if (one->has_answered) return one->job.late();
    one->has_answered = true;
    one->watch->cancel();
    const std::function<void(Status)> done = std::move(one->job.done);
    done(std::move(status));
  }

  void watch(const RunningPointer& one) {
    one->watch->expires_after(limits.stuck_after / 8);
    one->watch->async_wait([weak = weak_from_this(), one](const asio::error_code& error) {
      const auto state = weak.lock();
      if (error || state == nullptr || one->has_answered) return;
      state->look_at(one);
      if (!one->has_answered) state->watch(one);
    });
  }

  // Without a thread it waits behind others that get on: then the mount answers.
  void look_at(const RunningPointer& one) {
    Mount& mount = mounts[one->mount];
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t progress = one->progress;
    const bool gets_on = one->has_thread ? std::exchange(one->seen, progress) != progress : mount.busy > 0;
    if (gets_on) one->got_on_at = now;
    if (gets_on && one->is_stuck) set_stuck(*one, mount, false);
    if (now - one->got_on_at < limits.stuck_after) return;
    if (one->has_thread && !one->is_stuck) set_stuck(*one, mount, true);
    if (one->job.gives_up) give_up(one, mount);
    start_threads();
  }

  void set_stuck(Running& one, Mount& mount, bool is_stuck) {
    one.is_stuck = is_stuck;
    ++(is_stuck ? mount.stuck : mount.busy);
    --(is_stuck ? mount.busy : mount.stuck);
    is_stuck ? ++stuck : --stuck;
    spdlog::warn("file_system_{} mount={} path={} threads={}", is_stuck ? "hangs" : "answers", log::Quoted{one.mount},
                 log::Quoted{one.job.path}, mount.stuck);
  }

  // Without the end of the sentence.
  std::string problem_of(const Running& one) const {
    if (one.has_thread ? !one.is_stuck : one.has_answered || mounts.at(one.mount).busy > 0) return "";
    if (one.is_stuck || mounts.at(one.mount).stuck > limits.stuck)
      return (one.mount.starts_with('/') ? "The file system at '" : "The store '") + one.mount + "' does not answer";
    return "Too many threads of the master hang, and it does not start another for the file system at '" + one.mount +
           "'";
  }

  void give_up(const RunningPointer& one, Mount& mount) {
    one->may_go_on = false;
    const bool is_waiting = !one->has_thread;
    Status why = failed(problem_of(*one) + "; try again when it does.");
    mount.waiting.remove(one);
    answer(one, std::move(why));
    if (is_waiting) one->job.late();
  }

  // Whether all threads have ended. What a thread that hangs may free later has nothing of the control thread's.
  bool stop() {
    std::unique_lock lock(mutex);
    is_over = true;
    for (const auto& weak : all) {
      const RunningPointer one = weak.lock();
      if (one == nullptr) continue;
      one->may_go_on = false;
      one->watch.reset();
      one->job.done = nullptr;
      one->job.late = nullptr;
    }
    return ended.wait_for(lock, limits.end_max, [this] { return alive == 0; });
  }

  const asio::any_io_executor control;
  const Limits limits;
  std::map<std::string, Mount> mounts;  // that there is work for
  std::size_t stuck = 0;                // threads that hang
  std::list<std::weak_ptr<Running>> all;

  std::mutex mutex;  // guards what follows
  std::condition_variable ended;
  std::size_t alive = 0;  // threads
  bool is_over = false;   // the control executor may be gone; set by the control thread
};

FileWork::FileWork(asio::any_io_executor control, Limits limits)
    : state_(std::make_shared<State>(std::move(control), limits)) {}

FileWork::~FileWork() { stop(); }

bool FileWork::stop() { return state_->stop(); }

std::weak_ptr<const FileWork::Running> FileWork::start(Job job) {
  const auto one = std::make_shared<Running>();
  const bool is_path = job.path.starts_with('/');  // and no address
  one->path = is_path ? std::filesystem::path(job.path).lexically_normal().string() : job.path;
  one->job = std::move(job);
  one->mounts = Mounts::of_this_process();
  one->watch = std::make_unique<asio::steady_timer>(state_->control);
  std::erase_if(state_->all, [](const auto& weak) { return weak.expired(); });
  state_->all.push_back(one);
  state_->watch(one);
  state_->place(one);
  return one;
}

std::string FileWork::problem_of(const std::weak_ptr<const Running>& job) const {
  const auto one = job.lock();
  const std::string problem = one == nullptr ? "" : state_->problem_of(*one);
  return problem.empty() ? "" : problem + ".";
}

}  // namespace ontime::master
