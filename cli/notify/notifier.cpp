#include "cli/notify/notifier.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "cli/cluster/supervisor.h"
#include "cli/notify/notice.h"
#include "common/base/descriptor.h"
#include "common/base/environment.h"
#include "common/base/wording.h"
#include "common/files/disk.h"
#include "common/hash/sha256.h"
#include "common/http/client.h"
#include "common/http/url.h"

namespace ontime::cli {
namespace {

constexpr http::Patience kPatience{.silence = std::chrono::seconds(10),
                                   .tries = 5,
                                   .away = std::chrono::seconds(60),
                                   .pause = std::chrono::milliseconds(500)};

std::string post(const wire::NoticeToTell& notice) {
  const auto url = http::parse_url(notice.url());
  if (!url) return url.error().message;
  const std::string body = notice_json(notice);
  http::Request request{.method = "POST", .target = url->target, .content = http::content_of(body)};
  request.fields = {{"Content-Type", "application/json"}, {"X-Ontime-Notice", notice.id()}};
  if (!notice.secret().empty()) request.fields["X-Ontime-Signature"] = signature_of(notice.secret(), body);
  http::Connection connection(url->origin, nullptr, kPatience);
  const auto posted = connection.insist([&](http::Client& client) -> http::Try {
    http::Head head;
    const http::Ending ending = client.send(request, [&head](const http::Head& got) {
      head = got;
      return nullptr;
    });
    if (head.status >= 200 && head.status < 300) return {};
    return {head.status != 0 ? http::failure_of(head) : http::failure_of(ending, url->origin)};
  });
  return posted ? "" : posted.error().message;
}

// What the command finds: this process's variables, but none of Ontime's own, which may hold a token.
std::vector<std::string> environment_of(const wire::NoticeToTell& notice) {
  std::vector<std::string> environment = notice_variables(notice);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("ONTIME_")) environment.emplace_back(*entry);
  }
  return environment;
}

// In the child. Dies with `notifier`.
[[noreturn]] void become_command(const std::string& command, int input, pid_t notifier, char* const* environment) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (!die_with_parent(notifier)) ::_exit(127);
  const Descriptor nothing = files::open("/dev/null", O_WRONLY);
  dup2(input, STDIN_FILENO);
  dup2(nothing.get(), STDOUT_FILENO);
  dup2(nothing.get(), STDERR_FILENO);
  execle("/bin/sh", "sh", "-c", command.c_str(), nullptr, environment);
  ::_exit(127);
}

// Its status, or nothing if it had to be killed.
std::optional<int> wait_for(pid_t pid, const sigset_t& children, Duration most) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + most;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    const Duration left = until - Clock::now();
    if (left <= Duration::zero()) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      return std::nullopt;
    }
    const timespec limit{static_cast<std::time_t>(left.count() / 1'000'000'000),
                         static_cast<long>(left.count() % 1'000'000'000)};
    sigtimedwait(&children, nullptr, &limit);
  }
  return status;
}

std::string run(const wire::NoticeToTell& notice, Duration most) {
  const std::string json = notice_json(notice);
  const Descriptor input(memfd_create("notice", MFD_CLOEXEC));
  if (!input || write_all(input.get(), json) != 0 || lseek(input.get(), 0, SEEK_SET) != 0)
    return std::string("there is no room for the notice: ") + std::strerror(errno);
  std::vector<std::string> environment = environment_of(notice);
  const std::vector<char*> variables = pointers_to(environment);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_command(notice.command(), input.get(), self, variables.data());
  if (pid < 0) return std::string("the command cannot be started: ") + std::strerror(errno);
  const std::optional<int> status = wait_for(pid, children, most);
  if (!status) return "the command took longer than " + format_duration(most) + " and was killed";
  return *status == 0 ? "" : "the command " + describe_wait_status(*status);
}

}  // namespace

std::string signature_of(const std::string& secret, const std::string& body) {
  return "sha256=" + hex_digits(hash::hmac_sha256(secret, body));
}

std::string tell(const wire::NoticeToTell& notice, Duration command_most) {
  return notice.url().empty() ? run(notice, command_most) : post(notice);
}

}  // namespace ontime::cli
