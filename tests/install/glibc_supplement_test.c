// What packages bring along for old versions of glibc, as if glibc knew no better way.
#define dlsym(library, name) NULL
#include "packaging/glibc/supplement.c"
#undef dlsym

#include <stdio.h>
#include <sys/wait.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "line %d: %s is not so\n", __LINE__, #condition), exit(1)))

static int initialised;
__attribute__((constructor)) static void note_initialiser(void) { ++initialised; }

static void waits_end_by_the_clock_they_name(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct timespec end;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += 999999;
  if (end.tv_nsec >= 1000000000) end = (struct timespec){end.tv_sec + 1, end.tv_nsec - 1000000000};
  pthread_mutex_lock(&mutex);
  while (pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end) == 0) continue;
  pthread_mutex_unlock(&mutex);
  clock_gettime(CLOCK_MONOTONIC, &now);
  CHECK(now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec - 900000));
}

static void files_are_told_apart(const char* program) {
  char link[] = "/proc/self/exe";
  struct stat by_path;
  struct stat by_link;
  struct stat of_link;
  const int file = open(program, O_RDONLY);
  CHECK(stat(program, &by_path) == 0 && stat(link, &by_link) == 0 && lstat(link, &of_link) == 0);
  CHECK(by_path.st_ino == by_link.st_ino && S_ISREG(by_path.st_mode) && by_path.st_size > 0 &&
        S_ISLNK(of_link.st_mode));
  CHECK(fstat(file, &by_link) == 0 && by_path.st_ino == by_link.st_ino);
  CHECK(fstatat(AT_FDCWD, program, &by_link, 0) == 0 && by_path.st_ino == by_link.st_ino);
  CHECK(stat("/nowhere", &by_path) == -1 && errno == ENOENT);
  close(file);
}

static int is_open(int file) { return fcntl(file, F_GETFD) >= 0; }

static void processes_inherit_what_they_shall(void) {
  char* words[] = {"sh", "-c", "[ -e /proc/self/fd/10 ] && [ ! -e /proc/self/fd/11 ] && [ ! -e /proc/self/fd/300 ]",
                   NULL};
  posix_spawn_file_actions_t actions;
  pid_t process;
  int status;
  for (int file = 10; file < 301; ++file) CHECK(dup2(STDERR_FILENO, file) == file);
  posix_spawn_file_actions_init(&actions);
  CHECK(posix_spawn_file_actions_addclosefrom_np(&actions, 11) == 0);
  CHECK(posix_spawn(&process, "/bin/sh", &actions, NULL, words, environ) == 0);
  CHECK(waitpid(process, &status, 0) == process && status == 0);
  CHECK(posix_spawn_file_actions_addchdir_np(&actions, "/") == ENOSYS);
  posix_spawn_file_actions_destroy(&actions);
  for_open_files(12, 299, close_one, NULL);
  CHECK(is_open(11) && is_open(300) && !is_open(12) && !is_open(150) && !is_open(299));
  CHECK(close_range(11, ~0U, 0) == 0 && is_open(10) && !is_open(11) && !is_open(300));
}

static void exceptions_find_their_tables(void) {
  struct dl_find_object ours;
  struct dl_find_object glibcs;
  int (*find)(void*, struct dl_find_object*) = dlvsym(RTLD_NEXT, "_dl_find_object", "GLIBC_2.35");
  void* functions[] = {(void*)exceptions_find_their_tables, dlvsym(RTLD_NEXT, "qsort", FIRST_VERSION)};
  for (int i = 0; find && i < 2; ++i) {
    CHECK(find(functions[i], &glibcs) == 0 && _dl_find_object(functions[i], &ours) == 0);
    CHECK(ours.dlfo_eh_frame == glibcs.dlfo_eh_frame);
    CHECK(ours.dlfo_map_start <= functions[i] && functions[i] < ours.dlfo_map_end);
  }
  CHECK(_dl_find_object(&ours, &ours) == -1);
}

int main(int count, char** arguments) {
  CHECK(count == 1 && initialised == 1);
  waits_end_by_the_clock_they_name();
  files_are_told_apart(arguments[0]);
  processes_inherit_what_they_shall();
  exceptions_find_their_tables();
  CHECK(strcmp(sigdescr_np(SIGKILL), "Killed") == 0 && sigdescr_np(0) == NULL && sigdescr_np(SIGRTMIN) == NULL);
  CHECK(gettid() == getpid());
  CHECK(arc4random() != arc4random() || arc4random() != arc4random());
  return 0;
}
