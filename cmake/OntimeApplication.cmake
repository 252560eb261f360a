# ontime_add_application(wordcount SOURCES wordcount.cpp [DEPENDS lib...])
#   builds lib/ontime/apps/libontime_app_wordcount.so in the build directory. `ontime run wordcount` finds it there when
#   it is Ontime's own or installed beside it; otherwise name the directory: --app-dir build/lib/ontime/apps.
#   Installed with find_package(ontime), so it must not depend on anything else of this project.
function(ontime_add_application name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT A_SOURCES)
    message(FATAL_ERROR "ontime_add_application(${name}): give its files after SOURCES")
  endif()
  set(target ontime_app_${name})
  add_library(${target} MODULE ${A_SOURCES})
  target_link_libraries(${target} PRIVATE ontime::app ${A_DEPENDS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(NOT ONTIME_SANITIZE)  # clang leaves a sanitizer's functions to the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined)  # found out here and not when a job starts
  endif()
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ontime/apps)
  install(TARGETS ${target} LIBRARY DESTINATION lib/ontime/apps COMPONENT runtime)
  if(TARGET ontime_warnings)  # inside Ontime's own build
    target_link_libraries(${target} PRIVATE ontime_warnings)
    add_dependencies(ontime_programs ${target})
  endif()
endfunction()
