#include "common/http/poster.h"

#include <utility>

#include "common/http/client.h"
#include "common/http/sink.h"

namespace ontime::http {
namespace {

class OneByOne final : public Poster {
 public:
  explicit OneByOne(PosterOptions options)
      : options_(std::move(options)),
        connection_(
            options_.origin, options_.is_over,
            {.connect = options_.silence, .silence = options_.silence, .silence_max = options_.silence, .tries = 1}) {}

  Answer<Posted> post(const std::string& target, const std::string& text, const std::string& authorization) override {
    Request request{.method = "POST", .target = target, .content = content_of(text), .has_time = true};
    request.fields["Content-Type"] = "application/json";
    if (!authorization.empty()) request.fields["Authorization"] = authorization;
    request.tls = &options_.tls;
    Posted posted;
    const Answer<void> answered = connection_.insist([&](Client& client) -> Try {
      TextSink sink(posted.text, options_.answer_bytes_max);
      Head head;
      const Ending ending = client.send(request, [&](const Head& came) {
        head = came;
        return &sink;
      });
      if (ending != Ending::Whole) return {failure_of(ending)};
      if (head.status != 200) posted.failure = http::failure_of(head);
      return {};
    });
    if (!answered) return answered.error();
    return posted;
  }

 private:
  Failure failure_of(Ending ending) const {
    Failure failure = http::failure_of(ending, options_.origin);
    if (ending == Ending::Untrusted && !options_.tls.authority.empty()) {
      failure.message = "the certificate of the server at " + options_.origin +
                        " is for another host, or not signed by '" + options_.tls.authority + "'";
    }
    if (ending == Ending::NoCertificate) {
      failure.message = "the certificate in '" + options_.tls.certificate + "' with the key in '" + options_.tls.key +
                        "' cannot be used";
    }
    return failure;
  }

  const PosterOptions options_;
  Connection connection_;
};

}  // namespace

std::unique_ptr<Poster> make_poster(PosterOptions options) { return std::make_unique<OneByOne>(std::move(options)); }

}  // namespace ontime::http
