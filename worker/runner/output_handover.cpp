#include "worker/runner/output_handover.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/protocol/runner.pb.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kBytesMax = 16u << 10;
using Pair = std::array<int, 2>;  // file, directory

Fault lost(const std::string& path) {
  return {FaultKind::Node, "cannot create the output file " + path + ": the worker's launcher did not hand it over"};
}

}  // namespace

bool hand_over(int socket, const Outcome<OutputFile>& output) {
  wire::OutputFile message;
  if (!output) {
    message.set_error(output.error().message);
    message.set_is_nodes_own(output.error().kind == FaultKind::Node);
  }
  std::string bytes = message.SerializeAsString();
  if (bytes.empty()) bytes.push_back('\0');  // a datagram without a byte looks like the end; no field begins so
  iovec piece{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Pair))> control{};
  if (output) {
    const Pair descriptors{output->file.get(), output->directory.get()};
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(Pair));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof(Pair));
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

Outcome<OutputFile> take_over(int socket, const std::string& path) {
  std::string bytes(kBytesMax, '\0');
  iovec piece{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Pair))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return lost(path);
  const cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len == CMSG_LEN(sizeof(Pair))) {
    Pair descriptors{};
    std::memcpy(descriptors.data(), CMSG_DATA(rights), sizeof(Pair));
    return OutputFile{path, Descriptor(descriptors[0]), Descriptor(descriptors[1])};
  }
  wire::OutputFile message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(size)) || message.error().empty()) return lost(path);
  return Fault{message.is_nodes_own() ? FaultKind::Node : FaultKind::Output, message.error()};
}

}  // namespace ontime::worker
