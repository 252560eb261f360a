#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "cli/client/follow.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/show/top_view.h"
#include "common/base/clock_time.h"
#include "common/base/terminal.h"

namespace ontime::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterval = std::chrono::seconds(1);
constexpr int kKeyWait = 100;  // ms
constexpr std::size_t kHeightIfUnknown = 24;

// The terminal's other screen, on which keys are read as they are pressed. Gives back what was there.
class FullScreen {
 public:
  FullScreen() {
    is_changed_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    if (is_changed_) tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write("\033[?1049h\033[?25l");
  }
  ~FullScreen() {
    write("\033[?25h\033[?1049l");
    if (is_changed_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  static TopView::Size size() {
    const std::size_t height = terminal_height(STDOUT_FILENO);
    return {look_of(STDOUT_FILENO), height == 0 ? kHeightIfUnknown : height};
  }
  void show(const std::string& text) const {
    std::string screen = "\033[H";
    for (const char c : text) screen += c == '\n' ? std::string("\033[K\n") : std::string(1, c);
    write(screen + "\033[Jq quits");
  }
  // 0: none was pressed while this waited; 'q' also if there is nobody left to press one.
  static char key() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kKeyWait) <= 0) return 0;
    char pressed = 0;
    return read(STDIN_FILENO, &pressed, 1) == 1 ? pressed : 'q';
  }

 private:
  static void write(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  termios before_{};
  bool is_changed_ = false;
};

Status ask(MasterClient& client, TopView& view) {
  auto jobs = client.list_jobs();
  if (!jobs) return jobs.error();
  if (const Status added = add_forecasts(client, *jobs); !added) return added.error();
  const auto nodes = client.list_nodes();
  if (!nodes) return nodes.error();
  view.update(*jobs, *nodes, now_unix_ns());
  return {};
}

Result<ExitCode> watch(MasterClient& client, TopView& view) {
  const FullScreen screen;
  std::string trouble;
  auto asked = Clock::now();
  for (;;) {
    screen.show(view.text(FullScreen::size(), trouble));
    const char key = FullScreen::key();
    if (key == 'q' || key == 'Q') return ExitCode::Done;
    if (interrupts() > 0) return ExitCode::Interrupted;
    if (Clock::now() - asked < kInterval) continue;
    const Status known = ask(client, view);
    if (interrupts() > 0) return ExitCode::Interrupted;
    trouble = known ? "" : known.error().message;
    asked = Clock::now();
  }
}

}  // namespace

Result<ExitCode> execute(const TopCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  const bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (is_terminal) {
    install_interrupt_handlers();
    options->watch = [] { return check_interrupts(); };
  }
  MasterClient client(std::move(*options));
  TopView view;
  if (const Status known = ask(client, view); !known) return known.error();
  if (is_terminal) return watch(client, view);
  std::fputs(view.text({}).c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace ontime::cli
