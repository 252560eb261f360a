#pragma once
// A disk that is full or broken, and one that tells what a power cut leaves. Linked into copies of the programs, where
// faulty_disk.cpp and faulty_database.cpp ask it in the place of common/files/disk.cpp and
// master/journal/database_files.cpp. The environment says what it does:
//
//   ONTIME_DISK=DIR                only what lies below DIR, an absolute path
//   ONTIME_DISK_FAULT=OP:ERROR:N:MARK
//                                  the N-th OP of the first process to reach it fails with ERROR and MARK is made; once
//   ONTIME_DISK_FAULT=OP:ERROR:while:FILE
//                                  every OP fails as long as FILE exists
//       OP: write, sync, rename, create or any; ERROR: enospc or eio
//   ONTIME_DISK_SHADOW=DIR         whatever is synced is copied there: files as DIR/KEY, names of a directory as
//                                  DIR/KEY.names, one a line with its key and d or f (see power_cut.h)
//
// The key of a file or directory is its inode with the time it was made, since inodes are used again.

#include <string>
#include <string_view>

namespace ontime::test::disk {

// True, with errno set: this operation fails.
bool fails(std::string_view op, const std::string& path);

// The present state of what was just synced is what a power cut leaves of it. Keeps errno.
void keep(int descriptor);

// Where an open file or directory is.
std::string path_of(int descriptor);

}  // namespace ontime::test::disk
