#include "cli/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "common/files/file_system.h"

namespace ontime::cli {

Result<std::string> read_text_file(const std::string& path) {
  errno = EIO;  // unless the system says more
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof();
  if (is_empty && !file.bad()) return bad_input("the file '" + path + "' is empty");
  if (!file || !(text << file.rdbuf()))
    return bad_input("the file '" + path + "' cannot be read: " + std::strerror(errno));
  return text.str();
}

Status make_directory(const std::string& path) {
  const int problem = files::make_directories(path);
  return problem == 0 ? Status() : files::system_error("make the directory", path, problem);
}

}  // namespace ontime::cli
