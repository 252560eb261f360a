#pragma once
// The file of environment variables that hold for every call of `ontime` by this user.

#include "common/base/result.h"

namespace ontime::cli {

// Sets environment variables from lines NAME=VALUE of $XDG_CONFIG_HOME/ontime/environment (~/.config/ontime/environment),
// if there is such a file: ONTIME_MASTER, ONTIME_TLS_DIR, ONTIME_TOKEN, ONTIME_APP_PATH. Those that are set already keep
// their value. Empty lines and lines that begin with # do not count. BadInput names the line that is wrong.
// REQUIRES: no other thread.
Status apply_user_environment();

}  // namespace ontime::cli
