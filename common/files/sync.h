#pragma once
// Makes files and their names survive a power cut. A synced file can still lose its name, so both are synced.

#include <functional>
#include <span>
#include <string>

namespace ontime::files {

// Makes everything that was written to the file durable, no matter who wrote it. Returns 0 or errno.
int sync_file(const std::string& path);

// The same of many plain files in a directory, several at a time: a disk that gets many such orders at once takes
// little longer than with one. Calls `before_each` on this thread before each file that this thread syncs. Returns 0,
// or the errno of a file that could not be synced.
int sync_files(int directory, std::span<const char* const> names, const std::function<void()>& before_each = {});

// Makes created, renamed and removed names in the directory durable. Returns 0 or errno.
int sync_directory(const std::string& path);

// Makes the names of the directory (an absolute path) and of those above it durable, as they may be new. One that
// cannot be opened is not new. Calls `before_each` before each directory, as each may take long on a network mount.
void sync_names_above(const std::string& directory, const std::function<void()>& before_each = {});

}  // namespace ontime::files
