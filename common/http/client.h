#pragma once
// The library's clients, with a bound that it lacks.

#include <cstddef>
#include <memory>
#include <string>

namespace httplib {
class ClientImpl;
}  // namespace httplib

namespace ontime::http {

// The library keeps what a server sends in lines (the head of an answer, and the sizes of chunks), however much it is,
// and looks at the first line by recursion. So a server could fill the memory or the stack of this process. The clients
// made here break the connection where more bytes than this come in lines without content between them.
inline constexpr std::size_t kLineBytesMax = 16 << 10;

// A client for the server at the origin of a Url, such as "https://host:443".
std::unique_ptr<httplib::ClientImpl> make_client(const std::string& origin);
bool is_encrypted(const httplib::ClientImpl& client);

}  // namespace ontime::http
