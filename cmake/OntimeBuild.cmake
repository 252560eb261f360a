# How everything in this project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)  # target all_verify_interface_header_sets compiles every header alone

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Little debug information keeps the build quick and stack traces readable; assert() stays on only in Debug.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")

option(ONTIME_UNITY "Compile twenty sources of the programs as one" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 20)
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)  # a static library does not wait for others whose headers need no making

# Programs in bin/, shared objects of applications in lib/ontime/apps/: the same places as when installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(ONTIME_CCACHE ccache)
if(ONTIME_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source tree, so that another clone of it finds the same cache entries.
  # What is not found is not preprocessed first: a tenth of the first build.
  # What it must overlook to cache anything that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${ONTIME_CCACHE})
endif()
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
# gcc collects its garbage only beyond 1 GiB, which few sources reach. scripts/steps.sh knows what one compiler may take.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1048576 --param ggc-min-expand=30>")

set(ONTIME_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=...")
if(ONTIME_SANITIZE MATCHES fuzzer AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "-fsanitize=${ONTIME_SANITIZE} needs clang. Delete ${CMAKE_BINARY_DIR}: it was set up for another compiler.")
endif()
add_library(ontime_warnings INTERFACE)
target_compile_options(ontime_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<CXX_COMPILER_ID:GNU>:-Werror>)  # clang, for the sanitizers, has other opinions about what is worth a warning
if(ONTIME_SANITIZE)
  add_compile_options(-fsanitize=${ONTIME_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ONTIME_SANITIZE})
  # GNU's linker needs four times as long for the hundred large programs of the tests.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld ONTIME_HAS_LLD)
  if(ONTIME_HAS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
  if(ONTIME_SANITIZE MATCHES thread)
    target_compile_options(ontime_warnings INTERFACE -Wno-tsan)  # gcc warns about Asio's fences
  endif()
endif()

# compile_together(x): twenty of a target's sources are compiled as one unless ONTIME_UNITY is off. Most of the time of a
# compiler goes into reading headers here, so this halves the first build. -DONTIME_UNITY=OFF is quicker for work on one file.
function(compile_together name)
  if(ONTIME_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    # gcc takes coroutines of joined sources for those of a header.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Where next to no time is spent when jobs run, -O1 is good enough: it compiles in a fifth less time than -O2.
# What decides, maps bytes or journals stays at -O2.
set(ONTIME_RARELY_RUNS ontime ontime-master ontime-notifier ontime-web ontime-worker ontime_app_loader ontime_certs ontime_cli
  ontime_client ontime_confine ontime_files ontime_flags ontime_hdfs ontime_http ontime_index_store ontime_injection
  ontime_injection_file ontime_injection_wire ontime_inputs ontime_job_views ontime_log ontime_master ontime_net
  ontime_net_values ontime_network ontime_notify ontime_output ontime_protocol ontime_protocol_messages ontime_requests ontime_s3
  ontime_store ontime_store_names ontime_web ontime_worker)
# Under sanitizers only what maps bytes is optimised: the rest is compiled in less than half of the time without.
set(ONTIME_MAPS_BYTES ontime_aggregate ontime_base ontime_worker_data ontime_runner_core ontime_exec ontime_generators ontime_grep ontime_ratings
  ontime_sort ontime_sorting ontime_termvector ontime_text)
# What ontime_fuzz does not link needs no coverage for libFuzzer: a fifth less time again.
set(ONTIME_NOT_FUZZED ontime ontime-lab ontime-master ontime-runner ontime-web ontime-worker ontime_app_loader ontime_certs
  ontime_cli ontime_client ontime_confine ontime_exec ontime_flags ontime_foresight ontime_generators ontime_index_store
  ontime_lab_verbs ontime_master ontime_net ontime_ratings ontime_runner_core ontime_sort ontime_sorting ontime_termvector
  ontime_text ontime_web ontime_worker)
function(choose_optimisation name)
  if(ONTIME_SANITIZE MATCHES fuzzer AND name IN_LIST ONTIME_NOT_FUZZED)
    target_compile_options(${name} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
  if(ONTIME_SANITIZE AND NOT name IN_LIST ONTIME_MAPS_BYTES)
    target_compile_options(${name} PRIVATE -O0)
  elseif(name IN_LIST ONTIME_RARELY_RUNS)
    target_compile_options(${name} PRIVATE -O1)
  endif()
endfunction()

# add_module(x HEADERS ... SOURCES ... DEPENDS ...): the static library of one folder; x is ontime_<folder>.
function(add_module name)
  cmake_parse_arguments(M "" "" "HEADERS;SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${M_SOURCES})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${M_HEADERS})
  target_link_libraries(${name} PUBLIC ${M_DEPENDS} PRIVATE ontime_warnings)
  compile_together(${name})
  choose_optimisation(${name})
endfunction()

# add_messages(x PROTOS ... DEPENDS ...): the messages of .proto files of this folder, compiled without this project's warnings.
function(add_messages name)
  cmake_parse_arguments(M "" "" "PROTOS;DEPENDS" ${ARGN})
  set(generated ${CMAKE_BINARY_DIR}/generated)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  list(TRANSFORM M_PROTOS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE protos)
  list(TRANSFORM M_PROTOS REPLACE "(.*)[.]proto$" "${generated}/${folder}/\\1.pb.cc" OUTPUT_VARIABLE sources)
  list(TRANSFORM sources REPLACE "cc$" "h" OUTPUT_VARIABLE headers)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(OUTPUT ${sources} ${headers} VERBATIM
    COMMAND protobuf::protoc --cpp_out=${generated} -I${PROJECT_SOURCE_DIR} ${protos}
    DEPENDS ${protos} ${M_DEPENDS} protobuf::protoc)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${generated})
  target_link_libraries(${name} PUBLIC ontime_protobuf ${M_DEPENDS})
  compile_together(${name})
  choose_optimisation(${name})
endfunction()

# What --version says of the tree. No program depends on it: each commit would link them all again.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ontime)
add_custom_target(ontime_commit ALL COMMAND ${PROJECT_SOURCE_DIR}/cmake/write-commit ${CMAKE_BINARY_DIR}/lib/ontime/commit)

# What people run: programs and applications, without tests.
add_custom_target(ontime_programs DEPENDS ontime_commit)

# add_generated(x OUTPUT FILE DESTINATION DIR [COMPONENT runtime] ARGUMENTS ...): installs what the program x prints.
function(add_generated name)
  cmake_parse_arguments(G "" "OUTPUT;DESTINATION;COMPONENT" "ARGUMENTS" ${ARGN})
  if(NOT G_COMPONENT)
    set(G_COMPONENT runtime)
  endif()
  set(file ${CMAKE_BINARY_DIR}/share/${G_DESTINATION}/${G_OUTPUT})
  cmake_path(GET file PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM BYPRODUCTS ${file}
    COMMAND sh -c "\"$@\" > \"$0\"" ${file} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}> ${G_ARGUMENTS})
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${G_DESTINATION} COMPONENT ${G_COMPONENT})
endfunction()

# add_program(x [LOADS_LITTLE] SOURCES ... DEPENDS ...): an installed program. LOADS_LITTLE: one that is started for each
# job, and has to start quickly (OntimeDependencies.cmake).
function(add_program name)
  cmake_parse_arguments(P "LOADS_LITTLE" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  target_link_libraries(${name} PRIVATE ${P_DEPENDS} ontime_warnings)
  compile_together(${name})
  choose_optimisation(${name})
  if(P_LOADS_LITTLE)
    set_target_properties(${name} PROPERTIES ONTIME_LOADS_LITTLE ON)
    if(ONTIME_TESTS)  # which start single programs
      add_dependencies(${name} ontime_network_library)
    endif()
  endif()
  add_dependencies(ontime_programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endfunction()

# show_policy_interface(x): the program lets policies that it loads call the scheduler's functions in it.
function(show_policy_interface name)
  set(list ${PROJECT_SOURCE_DIR}/cmake/policy_interface.list)
  target_link_options(${name} PRIVATE -Wl,--dynamic-list=${list})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${list})
endfunction()
