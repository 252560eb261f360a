#include <sys/stat.h>

#include "common/net/token.h"

namespace ontime::net {

Status check_secret(const std::string& path, const char* what) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IRWXO) == 0) return {};
  return bad_input(std::string("everybody on this machine can read the ") + what + " '" + path + "'; run 'chmod 600 " +
                   path + "'");
}

}  // namespace ontime::net
