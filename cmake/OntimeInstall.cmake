# What `cmake --install` puts in place besides programs and applications: units of systemd (component service), and the
# interfaces for people who write applications and policies, found by find_package(ontime) (component development). The installed tree
# may be moved: nothing in it knows its prefix.
include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/ontime)
install(TARGETS ontime_app ontime_policy EXPORT ontimeTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ontime COMPONENT development)
install(EXPORT ontimeTargets NAMESPACE ontime:: DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ontimeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ontimeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ontimeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  ${PROJECT_BINARY_DIR}/ontimeConfig.cmake
  ${PROJECT_BINARY_DIR}/ontimeConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/OntimeApplication.cmake
  ${PROJECT_SOURCE_DIR}/cmake/OntimePolicy.cmake
  DESTINATION ${package_dir} COMPONENT development)
file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/systemd/*.service)
install(FILES ${units} DESTINATION lib/systemd/system COMPONENT service)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/ontime.sysusers DESTINATION lib/sysusers.d RENAME ontime.conf
  COMPONENT service)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/master.conf ${PROJECT_SOURCE_DIR}/packaging/systemd/worker.conf
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ontime COMPONENT service)
# The pages that people read, where README.md has them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ontime/docs COMPONENT service
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT service)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
