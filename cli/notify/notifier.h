#pragma once
// Tells one notice: runs its command, or posts to its URL. What the program ontime-notifier does; the master starts one
// for each notice (master/notices/notifiers.h).

#include <string>

#include "common/base/time.h"
#include "common/protocol/notice.pb.h"

namespace ontime::cli {

inline constexpr Duration kCommandMost = std::chrono::seconds(60);  // then it is killed, with what it has started

// Why it could not be told, in one line; empty: it was. A command is run once, whatever it answers; a URL is tried
// again for a minute while its server is in trouble.
std::string tell(const wire::NoticeToTell& notice, Duration command_most = kCommandMost);

// "sha256=" and 64 digits: HMAC-SHA256 of what is posted.
std::string signature_of(const std::string& secret, const std::string& body);

}  // namespace ontime::cli
