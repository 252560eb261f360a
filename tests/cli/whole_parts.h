#pragma once
// Files as the parts of an output: described as they are now.

#include <fcntl.h>

#include <deque>
#include <string>
#include <vector>

#include "cli/result/part_file.h"
#include "common/base/crc32c.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {

class WholeParts {
 public:
  PartFile of(const std::string& path) {
    const std::string content = test::read_file(path);
    output::Task task;
    task.part = path;
    task.segments.push_back({{0, 1}, "t00000-a0", "worker", 0, content.size(), 1, crc32c(content)});
    tasks_.push_back(std::move(task));
    return {AT_FDCWD, path, &tasks_.back()};
  }
  // A new file that holds these segments compressed.
  PartFile compressed(const std::string& path, const std::vector<std::string>& segments,
                      const Compression& compression) {
    output::Task task;
    task.part = path;
    std::string file;
    const auto compressor = frames::make_compressor(compression);
    for (const std::string& segment : segments) {
      std::string frame;
      const auto take = [&](std::string_view bytes) { frame += bytes; };
      compressor->add(segment, take);
      compressor->end(take);
      task.segments.push_back(
          {{0, 1}, "t00000-a0", "worker", file.size(), frame.size(), 1, crc32c(frame), segment.size()});
      file += frame;
    }
    test::write_file(path, file);
    tasks_.push_back(std::move(task));
    return {AT_FDCWD, path, &tasks_.back(), compression.codec};
  }
  output::Task& last() { return tasks_.back(); }
  std::vector<PartFile> of(const std::vector<std::string>& paths) {
    std::vector<PartFile> parts;
    for (const auto& path : paths) parts.push_back(of(path));
    return parts;
  }

 private:
  std::deque<output::Task> tasks_;
};

}  // namespace ontime::cli
