# ontime_add_policy(copy_late SOURCES copy_late.cpp [DEPENDS lib...])
#   builds lib/ontime/policies/copy_late.so in the build directory, for --policy build/lib/ontime/policies/copy_late.so.
#   Installed with find_package(ontime), so it must not depend on anything else of this project.
function(ontime_add_policy name)
  cmake_parse_arguments(P "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT P_SOURCES)
    message(FATAL_ERROR "ontime_add_policy(${name}): give its files after SOURCES")
  endif()
  add_library(${name} MODULE ${P_SOURCES})
  target_link_libraries(${name} PRIVATE ontime::policy ${P_DEPENDS})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ontime/policies)
  install(TARGETS ${name} LIBRARY DESTINATION lib/ontime/policies COMPONENT runtime)
endfunction()
