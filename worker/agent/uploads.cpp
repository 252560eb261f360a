#include "worker/agent/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/kill_point.h"
#include "common/store/access.h"

namespace ontime::worker {
namespace {

Status store_segment(const Uploads::Segment& segment, const Descriptor& file, const std::string& key,
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
  if (const auto stored = store.write(key, content); !stored)
    return failed("cannot store the output of the attempt as '" + key + "': " + stored.error().message);
  pass_kill_point("store-segment-written");
  return {};
}

}  // namespace

// Connections that no thread uses now, by the root of names.
struct Uploads::Connections {
  using Store = std::unique_ptr<http::Store>;

  Store take(const store::Name& name) {
    {
      const std::lock_guard lock(mutex);
      auto& idle = stores[name.root];
      if (!idle.empty()) {
        Store taken = std::move(idle.back());
        idle.pop_back();
        return taken;
      }
    }
    return store::open(name, "", &is_over);
  }
  void give_back(const store::Name& name, Store connection) {
    const std::lock_guard lock(mutex);
    stores[name.root].push_back(std::move(connection));
  }

  std::atomic<bool> is_over = false;
  std::mutex mutex;
  std::map<std::string, std::vector<Store>> stores;
};

Uploads::Uploads(asio::any_io_executor executor)
    : executor_(std::move(executor)), connections_(std::make_shared<Connections>()) {}

Uploads::~Uploads() { stop(); }

void Uploads::stop() {
  connections_->is_over = true;
  if (!threads_) return;
  threads_->stop();
  threads_->join();
}

Result<std::string> Uploads::root() {
  if (Status made = scratch_.make(); !made) return made.error();
  return scratch_.path();
}

// The last part of a claim is the job's own among all jobs of all clusters.
std::string Uploads::directory_of(const std::string& claim) const {
  return scratch_.path() + "/_attempts/" + claim.substr(claim.rfind('/') + 1);
}

Result<std::string> Uploads::file_for(const std::string& claim, AttemptId attempt) {
  if (Status made = scratch_.make(); !made) return made.error();
  const std::string directory = directory_of(claim);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return failed("cannot make the directory '" + directory + "': " + error.message());
  return directory + "/" + attempt_file_name(attempt);
}

void Uploads::post(const store::Name& name, std::function<void(http::Store&)> work) {
  if (!threads_) threads_.emplace(kThreads);
  asio::post(*threads_, [name, work = std::move(work), connections = connections_] {
    auto connection = connections->take(name);
    work(*connection);
    connections->give_back(name, std::move(connection));
  });
}

void Uploads::store(Segment segment, Done done) {
  const auto refuse = [this, &done](const std::string& why) {
    asio::post(executor_, [done, why] { done(failed(why)); });
  };
  // Opened now: the attempt may be over before a thread has time.
  const auto file = std::make_shared<Descriptor>(::open(segment.file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!*file) return refuse("cannot open '" + segment.file + "': " + std::strerror(errno));
  const auto name = store::parse_name(segment.claim);
  if (!name) return refuse(name.error().message);
  const std::string key = name->key + "/" + segment_object_name(attempt_file_name(segment.attempt), segment.offset);
  const auto finish = [this, name = *name, key, done = std::move(done)](const Status& status) {
    if (!done(status) && status) post(name, [key](http::Store& store) { static_cast<void>(store.remove(key)); });
  };
  post(*name, [segment = std::move(segment), file, key, finish, executor = executor_](http::Store& store) {
    asio::post(executor, [finish, status = store_segment(segment, *file, key, store)] { finish(status); });
  });
}

void Uploads::forget(const std::string& claim) {
  if (!scratch_.path().empty()) files::remove_all(directory_of(claim));
}

}  // namespace ontime::worker
