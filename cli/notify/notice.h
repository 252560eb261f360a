#pragma once
// What a notice says of a job: as JSON, in one sentence for people, and as variables of a command. Pure.

#include <string>
#include <vector>

#include "common/protocol/notice.pb.h"

namespace ontime::cli {

// "job-3 'nightly' will probably miss its deadline: PoCD 0.310; 30m, 12m left"
std::string notice_sentence(const wire::NoticeToTell& notice);
// The job as `ontime job --json` begins, with its forecast; before it "text", which chat services show, and "notice".
std::string notice_json(const wire::NoticeToTell& notice);
// NAME=VALUE, all beginning with ONTIME_; what is not known is empty.
std::vector<std::string> notice_variables(const wire::NoticeToTell& notice);

}  // namespace ontime::cli
