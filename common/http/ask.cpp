#include "common/http/ask.h"

#include "common/http/client.h"
#include "common/http/sink.h"
#include "common/http/url.h"

namespace ontime::http {

Answer<std::string> ask(const Question& question) {
  constexpr std::size_t kAnswerBytesMax = 64u << 10;
  const auto url = parse_url(question.address);
  if (!url) return Failure{Trouble::Refused, url.error().message};
  Patience patience;
  patience.tries = question.tries;
  Connection connection(url->origin, question.is_over, patience);
  const Fields fields(question.fields.begin(), question.fields.end());
  std::string body;
  const auto once = [&](Client& client) -> Try {
    body.clear();
    TextSink sink(body, kAnswerBytesMax);
    Head head;
    const auto on_head = [&](const Head& answered) {
      head = answered;
      return &sink;
    };
    const Ending ending = client.send({question.method, url->target, fields, content_of(question.form)}, on_head);
    if (ending != Ending::Whole) return {failure_of(ending, url->origin)};
    if (head.status != 200) return {failure_of(head)};
    return {};
  };
  if (auto asked = connection.insist(once); !asked) return std::move(asked).error();
  return body;
}

}  // namespace ontime::http
