# ontime_add_application(wordcount SOURCES wordcount.cpp [DEPENDS lib...])
#   builds lib/ontime/apps/libontime_app_wordcount.so, which `ontime run wordcount` finds by its name.
function(ontime_add_application name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target ontime_app_${name})
  add_library(${target} MODULE ${A_SOURCES})
  target_link_libraries(${target} PRIVATE ontime::app ${A_DEPENDS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ontime/apps)
  install(TARGETS ${target} LIBRARY DESTINATION lib/ontime/apps COMPONENT runtime)
endfunction()
