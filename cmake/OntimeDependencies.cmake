# Every library comes from Debian's packages (scripts/install-dependencies lists them).

find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(Boost REQUIRED)  # headers only
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma>=5.4)

find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)

# cpp-httplib, with the switches its shared library was built with.
find_package(OpenSSL 3 REQUIRED)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
add_library(ontime_httplib INTERFACE)
target_link_libraries(ontime_httplib INTERFACE PkgConfig::HTTPLIB OpenSSL::SSL OpenSSL::Crypto)

# RocksDB's CMake package asks for libraries that its shared object does not need from us. A program with the property
# ONTIME_ROCKSDB_INSIDE has RocksDB in itself: finding 16,000 names of its shared object takes 3 ms of each start.
find_path(ROCKSDB_INCLUDE_DIR rocksdb/db.h REQUIRED)
find_library(ROCKSDB_LIBRARY NAMES librocksdb.so REQUIRED)
find_library(ROCKSDB_ARCHIVE NAMES librocksdb.a REQUIRED)
find_library(LZ4_LIBRARY NAMES lz4 REQUIRED)
find_library(SNAPPY_LIBRARY NAMES snappy REQUIRED)
add_library(ontime_rocksdb INTERFACE)
target_include_directories(ontime_rocksdb SYSTEM INTERFACE ${ROCKSDB_INCLUDE_DIR})
set(inside $<BOOL:$<TARGET_PROPERTY:ONTIME_ROCKSDB_INSIDE>>)
target_link_libraries(ontime_rocksdb INTERFACE
  $<${inside}:${ROCKSDB_ARCHIVE}> $<${inside}:${LZ4_LIBRARY}> $<${inside}:${SNAPPY_LIBRARY}>
  $<${inside}:PkgConfig::ZSTD> $<${inside}:BZip2::BZip2> $<${inside}:ZLIB::ZLIB>
  $<$<NOT:${inside}>:${ROCKSDB_LIBRARY}>)

# Standalone Asio; Debian's package has neither a CMake nor a pkg-config file. What is no template is compiled once.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
set(asio_source ${CMAKE_BINARY_DIR}/generated/asio.cpp)
file(CONFIGURE OUTPUT ${asio_source} CONTENT "#include <asio/impl/src.hpp>\n#include <asio/ssl/impl/src.hpp>\n")
add_library(ontime_asio STATIC ${asio_source})
target_include_directories(ontime_asio SYSTEM PUBLIC ${ASIO_INCLUDE_DIR})
# Without the last one Asio's way to allocate depends on whether a standard header was included before it: one definition
# in one file, another in the next.
target_compile_definitions(ontime_asio PUBLIC
  ASIO_STANDALONE ASIO_NO_DEPRECATED ASIO_DISABLE_STD_ALIGNED_ALLOC ASIO_SEPARATE_COMPILATION
  $<$<CXX_COMPILER_ID:Clang>:ASIO_HAS_CO_AWAIT>)  # Asio 1.22 looks for the coroutines of clang before 16
target_link_libraries(ontime_asio PUBLIC Threads::Threads OpenSSL::SSL OpenSSL::Crypto)

# For --version.
pkg_check_modules(PROMETHEUS REQUIRED prometheus-cpp-core)
file(STRINGS ${ASIO_INCLUDE_DIR}/asio/version.hpp asio REGEX "define ASIO_VERSION ")
string(REGEX REPLACE ".*// " "" asio "${asio}")
file(STRINGS ${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h rocksdb REGEX "define ROCKSDB_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9]+" "." rocksdb "${rocksdb}")
string(REGEX REPLACE "^[.]" "" rocksdb "${rocksdb}")
set(ONTIME_LIBRARIES
  "Asio ${asio}" "Boost ${Boost_VERSION_STRING}" "bzip2 ${BZIP2_VERSION_STRING}" "CLI11 ${CLI11_VERSION}"
  "cpp-httplib ${HTTPLIB_VERSION}" "fmt ${fmt_VERSION}" "liblzma ${LZMA_VERSION}" "nlohmann-json ${nlohmann_json_VERSION}"
  "OpenSSL ${OPENSSL_VERSION}" "prometheus-cpp ${PROMETHEUS_VERSION}" "Protobuf ${Protobuf_VERSION}"
  "pugixml ${pugixml_VERSION}" "RocksDB ${rocksdb}" "spdlog ${spdlog_VERSION}" "yaml-cpp ${yaml-cpp_VERSION}"
  "zlib ${ZLIB_VERSION_STRING}" "zstd ${ZSTD_VERSION}")

if(ONTIME_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  if(ONTIME_BENCHMARKS)
    find_package(benchmark REQUIRED)
  endif()
endif()
