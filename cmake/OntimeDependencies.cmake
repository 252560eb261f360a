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
find_package(CURL 7.87 REQUIRED)
find_package(BZip2 REQUIRED)
find_package(Boost REQUIRED)  # headers only
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma>=5.4)
pkg_check_modules(RE2 REQUIRED re2)
file(REAL_PATH "${RE2_LINK_LIBRARIES}" re2)
string(REGEX REPLACE ".*[.]so[.]" "" re2 "${re2}")  # its own file says 0.0.0
pkg_check_modules(SIMDJSON REQUIRED simdjson)

# Without their -pthread, which no precompiled header has.
add_library(ontime_re2 INTERFACE)
target_link_libraries(ontime_re2 INTERFACE ${RE2_LINK_LIBRARIES})
add_library(ontime_simdjson INTERFACE)
target_link_libraries(ontime_simdjson INTERFACE ${SIMDJSON_LINK_LIBRARIES})

find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)

# A program with the property ONTIME_LOADS_LITTLE starts in a third of the time, because nothing has to be looked up in
# shared objects: what it needs of these libraries is in the program itself.
set(loads_little $<BOOL:$<TARGET_PROPERTY:ONTIME_LOADS_LITTLE>>)
# add_either(x SHARED target ... ARCHIVES name ...): the library ontime_x, from shared objects or from archives.
function(add_either name)
  cmake_parse_arguments(E "" "" "SHARED;ARCHIVES" ${ARGN})
  foreach(archive ${E_ARCHIVES})
    find_library(ONTIME_ARCHIVE_${archive} NAMES lib${archive}.a REQUIRED)
    list(APPEND archives ${ONTIME_ARCHIVE_${archive}})
  endforeach()
  add_library(ontime_${name} INTERFACE)
  target_link_libraries(ontime_${name} INTERFACE "$<IF:${loads_little},${archives},${E_SHARED}>")
endfunction()
# Not the C++ library: exceptions cross between programs and what they load, and have to be the same on both sides.
find_package(OpenSSL 3 REQUIRED)
add_either(zlib SHARED ZLIB::ZLIB ARCHIVES z)
add_either(bzip2 SHARED BZip2::BZip2 ARCHIVES bz2)
add_either(zstd SHARED PkgConfig::ZSTD ARCHIVES zstd)
add_either(lzma SHARED PkgConfig::LZMA ARCHIVES lzma)
add_either(yaml SHARED yaml-cpp ARCHIVES yaml-cpp)
add_either(protobuf SHARED protobuf::libprotobuf-lite ARCHIVES protobuf-lite)
add_either(crypto SHARED OpenSSL::Crypto ARCHIVES crypto)
add_either(tls SHARED OpenSSL::SSL OpenSSL::Crypto ARCHIVES ssl crypto)
find_library(ROCKSDB_SHARED NAMES librocksdb.so REQUIRED)  # its CMake package asks for libraries that it does not need
find_path(ROCKSDB_INCLUDE_DIR rocksdb/db.h REQUIRED)
add_either(rocksdb SHARED ${ROCKSDB_SHARED} ARCHIVES rocksdb lz4 snappy zstd bz2 z)
target_include_directories(ontime_rocksdb SYSTEM INTERFACE ${ROCKSDB_INCLUDE_DIR})

# spdlog and fmt, compiled once from their headers, as there is no archive of them either.
set(spdlog_source ${CMAKE_BINARY_DIR}/generated/spdlog.cpp)
configure_file(cmake/spdlog.cpp.in ${spdlog_source} COPYONLY)
add_library(ontime_spdlog STATIC ${spdlog_source})
target_include_directories(ontime_spdlog SYSTEM PUBLIC
  $<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_INCLUDE_DIRECTORIES> $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(ontime_spdlog PUBLIC SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
target_link_libraries(ontime_spdlog PUBLIC Threads::Threads)
target_compile_options(ontime_spdlog PRIVATE -O1)

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
target_link_libraries(ontime_asio PUBLIC Threads::Threads ontime_tls)
target_compile_options(ontime_asio PRIVATE -O1)

# For --version.
pkg_check_modules(PROMETHEUS REQUIRED prometheus-cpp-core)
file(STRINGS ${ASIO_INCLUDE_DIR}/asio/version.hpp asio REGEX "define ASIO_VERSION ")
string(REGEX REPLACE ".*// " "" asio "${asio}")
file(STRINGS ${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h rocksdb REGEX "define ROCKSDB_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9]+" "." rocksdb "${rocksdb}")
string(REGEX REPLACE "^[.]" "" rocksdb "${rocksdb}")
set(ONTIME_LIBRARIES
  "Asio ${asio}" "Boost ${Boost_VERSION_STRING}" "bzip2 ${BZIP2_VERSION_STRING}" "CLI11 ${CLI11_VERSION}"
  "curl ${CURL_VERSION_STRING}" "fmt ${fmt_VERSION}" "liblzma ${LZMA_VERSION}" "nlohmann-json ${nlohmann_json_VERSION}"
  "OpenSSL ${OPENSSL_VERSION}" "prometheus-cpp ${PROMETHEUS_VERSION}" "Protobuf ${Protobuf_VERSION}"
  "pugixml ${pugixml_VERSION}" "RE2 ${re2}" "RocksDB ${rocksdb}" "simdjson ${SIMDJSON_VERSION}" "spdlog ${spdlog_VERSION}" "yaml-cpp ${yaml-cpp_VERSION}"
  "zlib ${ZLIB_VERSION_STRING}" "zstd ${ZSTD_VERSION}")

if(ONTIME_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  # cpp-httplib, for servers and clients of tests, with the switches its shared library was built with.
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  add_library(ontime_httplib INTERFACE)
  target_link_libraries(ontime_httplib INTERFACE PkgConfig::HTTPLIB OpenSSL::SSL OpenSSL::Crypto)
  if(ONTIME_BENCHMARKS)
    find_package(benchmark REQUIRED)
  endif()
endif()
