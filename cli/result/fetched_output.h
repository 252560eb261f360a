#pragma once
// The output of a job in a store, copied to a private directory below $TMPDIR: there it looks as it would have been
// written to a directory. Removed with the object.

#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/files/temporary_directory.h"

namespace ontime::cli {

class FetchedOutput {
 public:
  // `address`: "s3://bucket/prefix" or "hdfs://host/path". What does not belong to the output is there as an empty
  // file; what is missing, is missing. BadInput, with the reason, if that is no finished job's; Failed if the store
  // cannot be read.
  static Result<std::shared_ptr<const FetchedOutput>> fetch(const std::string& address);
  // Nothing but the logs of its attempts, if it has any.
  static Result<std::shared_ptr<const FetchedOutput>> fetch_logs(const std::string& address);

  const std::string& directory() const { return directory_; }

  explicit FetchedOutput(std::unique_ptr<files::TemporaryDirectory> holder);

 private:
  std::unique_ptr<files::TemporaryDirectory> holder_;
  std::string directory_;
};

}  // namespace ontime::cli
