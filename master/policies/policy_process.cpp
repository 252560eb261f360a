#include "master/policies/policy_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/environment.h"
#include "common/base/python.h"
#include "common/base/spawning.h"
#include "common/base/units.h"

namespace ontime::master {

using Clock = std::chrono::steady_clock;

// Until when an answer may take.
class Limit {
 public:
  explicit Limit(Duration most) : most_(most), end_(Clock::now() + most) {}

  // Waits until the socket is ready for that.
  void wait(int socket, short events) const {
    pollfd waited{socket, events, 0};
    while (true) {
      const int ready = ::poll(&waited, 1, milliseconds_left());
      if (ready > 0) return;
      if (ready == 0) throw PolicyEnded("it has not answered within " + format_duration(most_));
      if (errno != EINTR) throw PolicyEnded(std::string("it cannot be waited for: ") + std::strerror(errno));
    }
  }

 private:
  int milliseconds_left() const {
    if (most_ == Duration::zero()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
  }

  Duration most_;
  Clock::time_point end_;
};

namespace {

constexpr std::uint64_t kAnswerBytesMax = 64u << 20;
constexpr Duration kGrace = std::chrono::seconds(5);
constexpr timeval kConnectMost{.tv_sec = 1, .tv_usec = 0};
constexpr std::size_t kKeptMost = 16;
constexpr int kSocketInProcess = 3;  // the last argument of python3 -m ontime.lab.policy_process

// Sends or receives all of it with `call`, which never waits. False: the other side has gone.
template <class Byte, class Call>
bool transfer(int socket, Byte* bytes, std::size_t size, short events, const Limit& limit, const Call& call) {
  while (size > 0) {
    const ssize_t done = call(socket, bytes, size);
    if (done > 0) {
      bytes += done;
      size -= static_cast<std::size_t>(done);
    } else if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      limit.wait(socket, events);
    } else if (done == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool send_all(int socket, std::string_view bytes, const Limit& limit) {
  return transfer(socket, bytes.data(), bytes.size(), POLLOUT, limit, [](int to, const char* from, std::size_t size) {
    return ::send(to, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  });
}

bool receive_all(int socket, char* bytes, std::size_t size, const Limit& limit) {
  return transfer(socket, bytes, size, POLLIN, limit,
                  [](int from, char* to, std::size_t most) { return ::recv(from, to, most, MSG_DONTWAIT); });
}

// Processes that no policy uses now. Python takes longer to start than many a simulation.
class Kept {
 public:
  static Kept& all() {
    static Kept kept;
    return kept;
  }

  template <class Fits>
  std::optional<PolicyProcess> take(const Fits& fits) {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_, [](const PolicyProcess& process) { return process.has_ended(); });
    const auto found = std::ranges::find_if(idle_, fits);
    if (found == idle_.end()) return std::nullopt;
    std::optional<PolicyProcess> taken(std::move(*found));
    idle_.erase(found);
    return taken;
  }
  void add(PolicyProcess process) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() == kKeptMost) idle_.erase(idle_.begin());
    idle_.push_back(std::move(process));
  }

 private:
  std::mutex mutex_;
  std::vector<PolicyProcess> idle_;  // the longest idle one is first
};

// In a group of its own, so that what it has started can be ended with it, and no signal for us reaches it. What it
// prints goes where our complaints go.
int spawn(const std::string& program, int socket, pid_t& pid) {
  std::vector<std::string> changes = python_environment();
  // Without chance: a set of texts has the same order in every run.
  changes.insert(changes.end(), {"PYTHONHASHSEED=0", "ONTIME_TOKEN="});
  return Spawning()
      .give(socket, kSocketInProcess)
      .open(STDIN_FILENO, "/dev/null", O_RDONLY)
      .give(STDERR_FILENO, STDOUT_FILENO)
      .close_from(kSocketInProcess + 1)
      .start({program, "-B", "-m", "ontime.lab.policy_process", std::to_string(kSocketInProcess)},
             environment_with(changes), pid);
}

}  // namespace

std::string identity_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return file;  // Python will say what is wrong
  std::string identity = file;
  for (const auto part : {static_cast<std::int64_t>(status.st_ino), static_cast<std::int64_t>(status.st_size),
                          static_cast<std::int64_t>(status.st_mtim.tv_sec), std::int64_t{status.st_mtim.tv_nsec}})
    identity += ":" + std::to_string(part);
  return identity;
}

PolicyProcess PolicyProcess::of(const std::string& file) {
  const std::string as_it_is = identity_of(file);
  if (auto kept = Kept::all().take([&](const PolicyProcess& process) { return process.file_ == as_it_is; }))
    return std::move(*kept);
  return start(as_it_is);
}

void PolicyProcess::give_back(PolicyProcess process) try {
  if (process.pid_ == 0) return;
  process.tell({}, Limit(kGrace));
  Kept::all().add(std::move(process));
} catch (const PolicyEnded&) {  // so it is not kept
}

PolicyProcess PolicyProcess::start(std::string file) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw PolicyEnded(std::string("no socket can be made: ") + std::strerror(errno));
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const std::string python = python_interpreters().front();
  pid_t pid = 0;
  if (const int problem = spawn(python, theirs.get(), pid); problem != 0)
    throw PolicyEnded("'" + python + "' cannot be started: " + std::strerror(problem));
  return {std::move(ours), pid, std::move(file)};
}

PolicyProcess PolicyProcess::at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw PolicyEnded("its path is too long for a socket");
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Connecting waits for so long too, where as many wait already as may.
  if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kConnectMost, sizeof kConnectMost);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw PolicyEnded(std::string("it cannot be reached: ") + std::strerror(errno));
  return {std::move(socket), 0};
}

PolicyProcess::PolicyProcess(PolicyProcess&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, 0)), file_(std::move(other.file_)) {}

PolicyProcess& PolicyProcess::operator=(PolicyProcess&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(pid_, other.pid_);
  std::swap(file_, other.file_);
  return *this;
}

PolicyProcess::~PolicyProcess() { end(); }

void PolicyProcess::end() {
  socket_.close();
  const pid_t pid = std::exchange(pid_, 0);
  if (pid == 0) return;
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool PolicyProcess::has_ended() const {
  siginfo_t info{};
  return pid_ != 0 && ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

// The other side has closed the socket, most likely by its end.
void PolicyProcess::give_up() {
  siginfo_t info{};
  for (const auto end = Clock::now() + kGrace; pid_ != 0 && info.si_pid == 0 && Clock::now() < end;) {
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == 0) ::poll(nullptr, 0, 1);
  }
  if (info.si_pid == 0) throw PolicyEnded("it has closed the connection");
  const std::string status = std::to_string(info.si_status);
  throw PolicyEnded(info.si_code == CLD_EXITED ? "its process has ended with exit code " + status
                                               : "its process was ended by signal " + status);
}

void PolicyProcess::tell(std::string_view message, const Limit& limit) {
  const std::uint64_t length = message.size();
  std::string framed(reinterpret_cast<const char*>(&length), sizeof length);
  framed += message;
  if (!send_all(socket_.get(), framed, limit)) give_up();
}

std::string PolicyProcess::ask(std::string_view message, Duration most) try {
  const Limit limit(most);
  tell(message, limit);
  std::uint64_t length = 0;
  if (!receive_all(socket_.get(), reinterpret_cast<char*>(&length), sizeof length, limit)) give_up();
  if (length > kAnswerBytesMax) throw PolicyEnded("its answer has " + format_size(length));
  std::string answer(length, '\0');
  if (!receive_all(socket_.get(), answer.data(), answer.size(), limit)) give_up();
  return answer;
} catch (const PolicyEnded&) {
  end();  // it may hang
  throw;
}

}  // namespace ontime::master
