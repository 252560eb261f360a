// What packages need of a glibc newer than 2.28 (lower.py): the library libontime_glibc.so, which every packaged
// program loads first. Where the glibc that is there knows a better way, that is taken.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

// Null before look_up() and where glibc has none.
static int (*newer_find_object)(void*, struct dl_find_object*);
static int (*newer_clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
static int (*newer_addclosefrom)(posix_spawn_file_actions_t*, int);
static int (*newer_addchdir)(posix_spawn_file_actions_t*, const char*);

__attribute__((constructor)) static void look_up(void) {
  newer_find_object = dlsym(RTLD_NEXT, "_dl_find_object");
  newer_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  newer_addclosefrom = dlsym(RTLD_NEXT, "posix_spawn_file_actions_addclosefrom_np");
  newer_addchdir = dlsym(RTLD_NEXT, "posix_spawn_file_actions_addchdir_np");
}

// 2.29
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* path) {
  return newer_addchdir ? newer_addchdir(actions, path) : ENOSYS;
}

// 2.30
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// Should the time of day jump, the wait ends too early or late; callers look at their own clock again.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* end) {
  struct timespec now;
  struct timespec today;
  if (newer_clockwait) return newer_clockwait(condition, mutex, clock, end);
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &today);
  today.tv_sec += end->tv_sec - now.tv_sec;
  today.tv_nsec += end->tv_nsec - now.tv_nsec;
  for (; today.tv_nsec < 0; --today.tv_sec) today.tv_nsec += 1000000000;
  for (; today.tv_nsec >= 1000000000; ++today.tv_sec) today.tv_nsec -= 1000000000;
  return pthread_cond_timedwait(condition, mutex, &today);
}

// 2.32. False is always right: what asks then counts atomically.
char __libc_single_threaded = 0;

const char* sigdescr_np(int number) { return number > 0 && number < 32 ? strsignal(number) : NULL; }

// 2.33
int stat(const char* path, struct stat* result) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, 0); }
int lstat(const char* path, struct stat* result) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* result) { return (int)syscall(SYS_fstat, file, result); }
int fstat64(int file, struct stat64* result) { return (int)syscall(SYS_fstat, file, result); }
int fstatat(int directory, const char* path, struct stat* result, int flags) {
  return (int)syscall(SYS_newfstatat, directory, path, result, flags);
}

// 2.34. From then on glibc calls a program's initialisers, which before was part of the program.
static void initialise(int argc, char** argv, char** environment) {
  typedef void Initialiser(int, char**, char**);
  const struct link_map* program = _r_debug.r_map;  // the first one
  Initialiser** all = NULL;
  size_t bytes = 0;
  for (const ElfW(Dyn)* entry = program->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) address = program->l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_INIT) ((Initialiser*)address)(argc, argv, environment);
    if (entry->d_tag == DT_INIT_ARRAY) all = (Initialiser**)address;
    if (entry->d_tag == DT_INIT_ARRAYSZ) bytes = entry->d_un.d_val;
  }
  for (size_t i = 0; i < bytes / sizeof *all; ++i) all[i](argc, argv, environment);
}

typedef int Main(int, char**, char**);
typedef void Init(int, char**, char**);
int __libc_start_main(Main* main, int argc, char** argv, Init* init, void (*fini)(void), void (*loader_fini)(void),
                      void* stack) {
  int (*start)(Main*, int, char**, Init*, void (*)(void), void (*)(void), void*);
  start = dlvsym(RTLD_NEXT, "__libc_start_main", FIRST_VERSION);
  return start(main, argc, argv, init ? init : initialise, fini, loader_fini, stack);
}

// Calls visit(file, state) for what is open from `first` to `last`. Allocates nothing, so a new process may call it.
static void for_open_files(unsigned first, unsigned last, void (*visit)(int, void*), void* state) {
  _Alignas(struct dirent64) char buffer[1024];
  const int files = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long bytes;
  while ((bytes = syscall(SYS_getdents64, files, buffer, sizeof buffer)) > 0) {
    const struct dirent64* entry;
    for (long at = 0; at < bytes; at += entry->d_reclen) {
      entry = (const struct dirent64*)(buffer + at);
      const int file = atoi(entry->d_name);
      if (entry->d_name[0] != '.' && file != files && (unsigned)file >= first && (unsigned)file <= last)
        visit(file, state);
    }
  }
  close(files);
}

static void close_one(int file, void* unused) {
  (void)unused;
  close(file);
}

// Linux has it since 5.9.
int close_range(unsigned first, unsigned last, int flags) {
  const int result = (int)syscall(SYS_close_range, first, last, flags);
  if (result == 0 || errno != ENOSYS || flags != 0) return result;
  for_open_files(first, last, close_one, NULL);
  return 0;
}

static void add_close(int file, void* actions) { posix_spawn_file_actions_addclose(actions, file); }

// What is open now. What this project opens later is closed by exec.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  if (newer_addclosefrom) return newer_addclosefrom(actions, first);
  for_open_files((unsigned)first, INT32_MAX, add_close, actions);
  return 0;
}

// libresolv had these by other names. Weak, for few programs load libresolv.
#define BY_OTHER_NAME(type, name, parameters, ...)                \
  __asm__(".symver older_" #name ", __" #name "@" FIRST_VERSION); \
  extern __attribute__((weak)) type older_##name parameters;      \
  type name parameters { return older_##name(__VA_ARGS__); }
typedef unsigned char Byte;
BY_OTHER_NAME(int, dn_expand, (const Byte* message, const Byte* end, const Byte* from, char* to, int size), message,
              end, from, to, size)
BY_OTHER_NAME(int, res_query, (const char* name, int class, int type, Byte* answer, int size), name, class, type,
              answer, size)
BY_OTHER_NAME(int, res_nsearch, (void* state, const char* name, int class, int type, Byte* answer, int size), state,
              name, class, type, answer, size)

// 2.35, for exceptions.
struct Search {
  ElfW(Addr) address;
  struct dl_find_object* result;
};

static int find_in(struct dl_phdr_info* object, size_t size, void* argument) {
  struct Search* search = argument;
  struct dl_find_object* result = search->result;
  int is_here = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = object->dlpi_phdr + i;
    const ElfW(Addr) begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) result->dlfo_eh_frame = (void*)begin;
    if (part->p_type != PT_LOAD || search->address < begin || search->address >= begin + part->p_memsz) continue;
    result->dlfo_map_start = (void*)begin;
    result->dlfo_map_end = (void*)(begin + part->p_memsz);
    is_here = 1;
  }
  if (is_here && result->dlfo_eh_frame) return 1;
  memset(result, 0, sizeof *result);
  return 0;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
  struct Search search = {(ElfW(Addr))address, result};
  if (newer_find_object) return newer_find_object(address, result);
  memset(result, 0, sizeof *result);
  return dl_iterate_phdr(find_in, &search) ? 0 : -1;
}

// 2.36
uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number) continue;
  return number;
}
