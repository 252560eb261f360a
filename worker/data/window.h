#pragma once
// The content before an access point that decompressing from there needs, as it is stored, and named by a hash that
// nobody can find another window for.

#include <optional>
#include <string>
#include <string_view>

#include "common/base/access_point.h"

namespace ontime::worker {

WindowHash hash_of_window(std::string_view window);
std::string pack_window(std::string_view window);
// Nothing unless it is the window with that hash.
std::optional<std::string> unpack_window(std::string_view packed, const WindowHash& hash);

}  // namespace ontime::worker
