/*
 * Preloaded into the service of a control run: what asks the kernel to bring data to the disk does nothing. A test of
 * power losses that still loses nothing then has proven nothing.
 *
 * Only the process it was preloaded into is affected, not the PostgreSQL that it starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>

__attribute__((constructor)) static void only_this_process(void) { unsetenv("LD_PRELOAD"); }

int fsync(int fd) { (void)fd; return 0; }
int fdatasync(int fd) { (void)fd; return 0; }
int msync(void *address, size_t length, int flags) { (void)address; (void)length; (void)flags; return 0; }
int sync_file_range(int fd, off64_t offset, off64_t length, unsigned int flags) {
  (void)fd; (void)offset; (void)length; (void)flags;
  return 0;
}

/* Files opened for synchronous writing would flush without a call. */
typedef int (*open_function)(const char *, int, ...);

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  open_function original = (open_function)dlsym(RTLD_NEXT, name);
  return original(path, flags & ~(O_SYNC | O_DSYNC), mode);
}

#define MODE_OF(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags, mode) return opened("open", path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags, mode) return opened("open64", path, flags, mode); }
