// ontime-notifier: tells one notice, which comes on standard input, and answers with one line: why it could not.
// Started by a master, whose process id is its argument, and ends with it.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "cli/notify/notifier.h"
#include "common/base/descriptor.h"
#include "common/base/units.h"
#include "common/base/version.h"

int main(int argc, char** argv) {
  using namespace ontime;
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument == "--version") {
    std::fputs(version_of("ontime-notifier").c_str(), stdout);
    return 0;
  }
  const auto parent = number_in<pid_t>(argument);
  if (!parent) {
    std::fputs("ontime-notifier: a master starts it; give 'ontime submit' --notify instead\n", stderr);
    return 2;
  }
  if (!die_with_parent(*parent)) return 1;
  wire::NoticeToTell notice;
  if (!notice.ParseFromString(std::string(std::istreambuf_iterator<char>(std::cin), {}))) return 1;
  std::puts(cli::tell(notice).c_str());
  return 0;
}
