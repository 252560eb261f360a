#pragma once
// The page of one job as a file of its own: the same script and style as the pages of `ontime web`, with the job's data
// inside. It loads nothing and asks nobody. Pure.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// `job` with forecast and account as far as they are to be shown, and with tasks or an overview.
std::string report_page(const wire::Reply::Job& job, const wire::Reply::Explained& explained);

}  // namespace ontime::cli
