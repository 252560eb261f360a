// hung_view DIR PROGRAM ARGUMENTS...: runs the program where DIR is a file system whose server takes every question and
// answers none, as a network file system does whose server has gone. Only the program and what it starts see that; they
// wait in the kernel, and not even SIGKILL ends them before the program itself has ended. Status 77: not permitted.
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kNotPermitted = 77;

bool mount_hung(int server, const char* directory) {
  const std::string options = "fd=" + std::to_string(server) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("hung", directory, "fuse", 0, options.c_str()) == 0;
}

// Says hello to the kernel, without which nobody's question comes at all, and nothing more. Ends with the program.
[[noreturn]] void serve_nobody(int server) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char> question(1 << 20);
  while (::read(server, question.data(), question.size()) > 0) {
    fuse_in_header header{};
    std::memcpy(&header, question.data(), sizeof header);
    if (header.opcode != FUSE_INIT) continue;
    struct {
      fuse_out_header header;
      fuse_init_out init;
    } answer{};
    answer.header.len = sizeof answer;
    answer.header.unique = header.unique;
    answer.init.major = FUSE_KERNEL_VERSION;
    answer.init.minor = FUSE_KERNEL_MINOR_VERSION;
    answer.init.max_write = 4096;
    if (::write(server, &answer, sizeof answer) < 0) ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int server = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (server < 0 || !mount_hung(server, argv[1])) return kNotPermitted;
  if (::fork() == 0) serve_nobody(server);
  ::execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 1;
}
