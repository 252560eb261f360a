#include "cli/text_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ontime::cli {

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof();
  if (is_empty && !file.bad()) return bad_input("the file '" + path + "' is empty");
  if (!file || !(text << file.rdbuf())) return bad_input("the file '" + path + "' cannot be read");
  return text.str();
}

Status write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return failed("cannot write " + path);
  return {};
}

Status make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failed("cannot make the directory " + path + ": " + error.message());
  return {};
}

}  // namespace ontime::cli
