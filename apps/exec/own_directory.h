#pragma once
// Where the commands of a runner work: each in a new directory with the job's files, removed when the command has
// ended.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace ontime::apps {

// A file that the job brings.
struct JobFile {
  std::string name;
  std::string content;
  mode_t mode = 0;
};

// Those that lie in the runner's directory. To be read before a command is started, which might change them.
std::vector<JobFile> read_job_files();

// Owns what is in it, with all that the command leaves there.
class OwnDirectory {
 public:
  // Below the runner's directory, with copies of the files. Throws std::runtime_error.
  OwnDirectory(const std::string& runners, const std::vector<JobFile>& files);
  ~OwnDirectory();
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// None where there is no runner.
std::unique_ptr<const OwnDirectory> make_own_directory(const std::vector<JobFile>& files);

}  // namespace ontime::apps
