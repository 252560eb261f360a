#include "worker/agent/attempts/attempt_outputs.h"

#include <unistd.h>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "common/files/file_system.h"
#include "common/store/access.h"

namespace ontime::worker {
namespace {

// Its process has synced the file, so sync() has nothing to do.
class InDirectory final : public AttemptOutput {
 public:
  explicit InDirectory(std::string path) : path_(std::move(path)) {}

  const std::string& path() const override { return path_; }
  void sync(Segment /*segment*/, Done done) override { done({}); }

 private:
  const std::string path_;
};

Status store_segment(AttemptOutput::Segment segment, const Descriptor& file, const std::string& key,
                     http::Store& store) {
  http::Content content;
  content.size = segment.length;
  content.read = [&](std::uint64_t offset, std::size_t size, char* to) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t got =
          ::pread(file.get(), to + done, size - done, static_cast<off_t>(segment.offset + offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      done += static_cast<std::size_t>(got);
    }
    return true;
  };
  pass_kill_point("store-segment-before-write");
  if (const auto stored = store.write(key, content); !stored) {
    std::string why = "cannot store the output of the attempt as '" + key + "': " + stored.error().message;
    const bool is_away = stored.error().trouble == http::Trouble::Unavailable;
    return is_away ? unavailable(std::move(why)) : failed(std::move(why));
  }
  pass_kill_point("store-segment-written");
  return {};
}

}  // namespace

// The threads, and connections that none of them uses now, by the root of names.
struct AttemptOutputs::Stores {
  struct Connection {
    std::atomic<bool> is_over = false;
    std::unique_ptr<http::Store> store;
  };
  // What a thread does or is going to do. Guarded by the mutex.
  struct Work {
    Connection* connection = nullptr;  // that it uses now
    bool is_given_up = false;
  };
  using WorkPointer = std::shared_ptr<Work>;

  Stores(asio::any_io_executor of_worker, Duration some) : executor(std::move(of_worker)), patience(some) {}

  // None for what nobody waits for any more.
  std::unique_ptr<Connection> begin(const store::Name& name, Work& work) {
    const std::lock_guard lock(mutex);
    if (is_over || work.is_given_up) return nullptr;
    auto& idle = connections[name.root];
    auto taken = idle.empty() ? std::make_unique<Connection>() : std::move(idle.back());
    if (!idle.empty()) idle.pop_back();
    taken->is_over = false;
    work.connection = taken.get();
    busy.insert(taken.get());
    return taken;
  }
  void end(const store::Name& name, Work& work, std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex);
    work.connection = nullptr;
    busy.erase(connection.get());
    connections[name.root].push_back(std::move(connection));
  }
  void post(std::function<void()> call) {
    if (!threads) threads.emplace(kThreads);
    asio::post(*threads, std::move(call));
  }
  // Calls it on a thread, with a connection.
  WorkPointer post(const store::Name& name, std::function<void(http::Store&)> call) {
    auto work = std::make_shared<Work>();
    post([this, name, work, call = std::move(call)] {
      auto connection = begin(name, *work);
      if (!connection) return;
      if (!connection->store) connection->store = store::open(name, "", &connection->is_over, http::kAttemptPatience);
      call(*connection->store);
      end(name, *work, std::move(connection));
    });
    return work;
  }
  void give_up(Work& work) {
    const std::lock_guard lock(mutex);
    work.is_given_up = true;
    if (work.connection != nullptr) work.connection->is_over = true;
  }
  // A store that still answers gets some time, so that the object it has stored can be removed.
  void give_up_soon(std::vector<std::weak_ptr<Work>> works) {
    std::erase_if(works, [](const auto& work) { return work.expired(); });
    if (works.empty()) return;
    const auto timer = std::make_shared<asio::steady_timer>(executor, patience);
    timer->async_wait([this, timer, works = std::move(works)](const asio::error_code& error) {
      for (const auto& weak : works)
        if (const auto work = weak.lock(); work && !error) give_up(*work);
    });
  }
  void stop() {
    {
      const std::lock_guard lock(mutex);
      is_over = true;
      for (Connection* connection : busy) connection->is_over = true;
    }
    if (!threads) return;
    threads->stop();
    threads->join();
  }

  const asio::any_io_executor executor;
  const Duration patience;
  std::mutex mutex;
  bool is_over = false;
  std::map<std::string, std::vector<std::unique_ptr<Connection>>> connections;
  std::set<Connection*> busy;
  std::optional<asio::thread_pool> threads;  // since there was something for them to do
};

class AttemptOutputs::InStore final : public AttemptOutput {
 public:
  // `prefix`: of what the attempt stores.
  InStore(Stores& stores, store::Name prefix, std::string path)
      : stores_(stores), prefix_(std::move(prefix)), path_(std::move(path)) {}
  ~InStore() override {
    files::remove(path_);
    stores_.give_up_soon(std::move(syncs_));
  }

  const std::string& path() const override { return path_; }

  void sync(Segment segment, Done done) override {
    // Opened now: the attempt may be over before a thread has time.
    const auto file = std::make_shared<Descriptor>(files::open(path_, O_RDONLY | files::kPlainFile));
    if (!*file) {
      const Status refused = failed("cannot open '" + path_ + "': " + std::strerror(errno));
      return asio::post(stores_.executor, [done = std::move(done), refused] { done(refused); });
    }
    const std::string key = segment_object_name(prefix_.key, segment.offset);
    const auto finish = [&stores = stores_, name = prefix_, key, done = std::move(done)](const Status& status) {
      if (!done(status) && status)
        stores.post(name, [key](http::Store& store) { static_cast<void>(store.remove(key)); });
    };
    std::erase_if(syncs_, [](const auto& sync) { return sync.expired(); });
    syncs_.push_back(
        stores_.post(prefix_, [segment, file, key, finish, executor = stores_.executor](http::Store& store) {
          asio::post(executor, [finish, status = store_segment(segment, *file, key, store)] { finish(status); });
        }));
  }

 private:
  Stores& stores_;
  const store::Name prefix_;
  const std::string path_;
  std::vector<std::weak_ptr<Stores::Work>> syncs_;  // under way
};

AttemptOutputs::AttemptOutputs(asio::any_io_executor executor, files::Roots roots, Duration patience)
    : roots_(std::move(roots)), stores_(std::make_unique<Stores>(std::move(executor), patience)) {}

AttemptOutputs::~AttemptOutputs() { stop(); }

void AttemptOutputs::stop() { stores_->stop(); }

Result<std::string> AttemptOutputs::scratch() {
  const bool is_first = scratch_.path().empty();
  if (Status made = scratch_.make(); !made) return made.error();
  if (is_first) stores_->post([prefix = scratch_.prefix()] { files::TemporaryDirectory::remove_left_overs(prefix); });
  return scratch_.path();
}

// The last part of a claim is the job's own among all jobs of all clusters.
std::string AttemptOutputs::scratch_of(const std::string& claim) const {
  return scratch_.path() + "/_attempts/" + claim.substr(claim.rfind('/') + 1);
}

Result<std::unique_ptr<AttemptOutput>> AttemptOutputs::create(const std::string& claim, AttemptId attempt) {
  const std::string name = attempt_file_name(attempt);
  if (!store::is_name(claim)) return std::unique_ptr<AttemptOutput>(new InDirectory(claim + "/" + name));
  if (!roots_.hold(claim))
    return bad_input("the output " + claim + " lies outside of the output roots (" + roots_.text() +
                     ") of this worker; give master and workers the same roots");
  auto prefix = store::parse_name(claim + "/" + name);
  if (!prefix) return std::move(prefix).error();
  if (const auto made = scratch(); !made) return made.error();
  const std::string directory = scratch_of(claim);
  if (const int problem = files::make_directories(directory); problem != 0)
    return failed("cannot make the directory '" + directory + "': " + std::strerror(problem));
  return std::unique_ptr<AttemptOutput>(new InStore(*stores_, std::move(*prefix), directory + "/" + name));
}

void AttemptOutputs::forget(const std::string& claim) {
  if (scratch_.path().empty()) return;
  stores_->post([directory = scratch_of(claim)] { static_cast<void>(files::remove_all(directory)); });
}

}  // namespace ontime::worker
