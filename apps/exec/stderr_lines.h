#pragma once
// What a command says on stderr: lines that begin with `reporter:` are meant for the job, all others for people.
//
//   reporter:counter:GROUP,NAME,AMOUNT     adds to a counter
//   reporter:status:TEXT                   sets the status line

#include <string>
#include <string_view>

#include "common/app/context.h"

namespace ontime::apps {

class StderrLines {
 public:
  // Longer lines are passed on in pieces.
  static constexpr std::size_t kMaxLine = 64 * 1024;

  explicit StderrLines(app::Context& context) : context_(context) {}

  // Bytes as they come, cut anywhere. What is not for the job goes to our own stderr.
  void add(std::string_view bytes);
  // The end of the stream ends a last line without its end.
  void finish();

 private:
  void take_line(std::string_view line);
  bool report(std::string_view line);
  bool count(std::string_view arguments);

  app::Context& context_;
  std::string partial_;  // a line whose end has not come
};

}  // namespace ontime::apps
