#pragma once
// Makes files and their names last, in a power cut too: a file that is synced may still lose its name.

#include <functional>
#include <string>

namespace ontime::files {

// Makes last what was written to the file, by whomever. Returns 0 or errno.
int sync_file(const std::string& path);

// Makes names created, renamed or removed in the directory last. Returns 0 or errno.
int sync_directory(const std::string& path);

// The directory (an absolute path) may be new, and those above it: makes their names last. One that cannot be opened is
// not new. `before_each` is called before each directory, which may take long on a network mount.
void sync_names_above(const std::string& directory, const std::function<void()>& before_each = {});

}  // namespace ontime::files
