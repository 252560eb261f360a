#pragma once
// What `ontime-master` does with a journal instead of serving it.

#include <string>

#include "common/base/result.h"

namespace ontime::master {

// `--check-journal`: reads a journal as a master would, and says what it holds. Changes nothing. Several lines; an
// error is one sentence that names the file or record which is damaged.
Result<std::string> check_journal(const std::string& directory);

// `--backup-journal DIR`: writes a copy of a journal that a master can be started on at any later time. The
// copy knows all jobs that have ended, and all profiles. A job that has not ended is ended in the copy (killed): what
// becomes of it after the copy cannot be known there, and its attempts must not be numbered twice. For the same reason
// the copy has a cluster id of its own: workers of the old cluster are not let in before they were started again.
//
// The journal may be in use; then the copy may lack what was written last. The copy is there whole or not at all.
// Returns a sentence that says what it holds. BadInput if `copy` exists; Failed if the journal is damaged.
Result<std::string> backup_journal(const std::string& directory, const std::string& copy);

}  // namespace ontime::master
