#pragma once
// `ontime-master --backup-journal DIR`: writes a copy of a journal that a master can be started on at any later time. The
// copy knows all jobs that have ended, and all profiles. A job that has not ended is ended in the copy (killed): what
// becomes of it after the copy cannot be known there, and its attempts must not be numbered twice. For the same reason
// the copy has a cluster id of its own: workers of the old cluster are not let in before they were started again.

#include <string>

#include "common/base/result.h"

namespace ontime::master {

// The journal may be in use; then the copy may lack what was written last. The copy is there whole or not at all.
// Returns a sentence that says what it holds. BadInput if `copy` exists; Failed if the journal is damaged.
Result<std::string> backup_journal(const std::string& directory, const std::string& copy);

}  // namespace ontime::master
