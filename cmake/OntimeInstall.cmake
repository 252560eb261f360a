# What `cmake --install` puts in place besides programs and applications: the interface for people who write
# applications, found by find_package(ontime).
include(CMakePackageConfigHelpers)
