#pragma once
// What the metadata services of three clouds say of a spot machine that they will take away: AWS gives an answer at all
// (instance-action, asked with a token of IMDSv2), GCP says TRUE (preempted), and Azure names the machine in a
// scheduled event (Preempt or Terminate). Each wants a header that a deceived browser would not send.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/ask.h"

namespace ontime::worker {

enum class Cloud : std::uint8_t { Aws, Azure, Gcp };

std::optional<Cloud> cloud_named(std::string_view text);  // "aws", "azure", "gcp"
// "http://169.254.169.254", or where the environment says that it is, as for the cloud's own programs:
// AWS_EC2_METADATA_SERVICE_ENDPOINT, GCE_METADATA_HOST.
std::string metadata_server(Cloud cloud);

// Not for several threads at a time.
class CloudNotice {
 public:
  using Ask = std::function<http::Answer<std::string>(http::Question question)>;

  CloudNotice(Cloud cloud, std::string server, Ask ask);

  // Asks now, once. What does not answer, or answers something else, says nothing.
  bool is_given();

 private:
  http::Answer<std::string> get(const std::string& path, const char* name, const std::string& value) const;
  bool is_given_by_aws();
  bool is_given_by_azure();

  const Cloud cloud_;
  const std::string server_;
  const Ask ask_;
  std::string token_;  // of AWS; empty: to be asked for
  std::string name_;   // of this machine at Azure; empty: to be asked for
};

}  // namespace ontime::worker
