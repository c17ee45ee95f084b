/* progress.c - show that a long step is alive.
 *
 * A stage may compute for long without a word, so a thread of ours looks at the
 * clock: off a terminal it repeats the stage after two silent seconds. */
#include "tvmc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  bool has_thread, ended, terminal, drawn;
  double began, last_line;
  char stage[64];
  int64_t done, total;
};

enum { SILENT_SECONDS = 2 };

/* With the lock held. */
static void draw(progress *p, double now) {
  char count[64] = "";
  if (p->total > 1)
    snprintf(count, sizeof count, " %lld/%lld", (long long)p->done,
             (long long)p->total);
  if (p->terminal)
    fprintf(stderr, "\r\033[K%s%s (%.0f s)", p->stage, count, now - p->began);
  else
    fprintf(stderr, "tvmc: %s%s (%.0f s)\n", p->stage, count, now - p->began);
  fflush(stderr);
  p->drawn = p->terminal;
  p->last_line = now;
}

static void *watch(void *user) {
  progress *p = user;
  pthread_mutex_lock(&p->lock);
  while (!p->ended) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 500 * 1000 * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->wake, &p->lock, &until);
    double now = now_seconds();
    double silent = p->terminal ? 0.9 : SILENT_SECONDS;
    if (!p->ended && *p->stage && now - p->last_line >= silent)
      draw(p, now);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

progress *progress_create(void) {
  progress *p = calloc(1, sizeof *p);
  p->terminal = isatty(STDERR_FILENO);
  p->began = p->last_line = now_seconds();
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  p->has_thread = pthread_create(&p->thread, NULL, watch, p) == 0;
  return p;
}

void progress_report(void *user, const char *stage, int64_t done,
                     int64_t total) {
  progress *p = user;
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  double now = now_seconds();
  bool changed = strncmp(p->stage, stage, sizeof p->stage - 1) != 0;
  snprintf(p->stage, sizeof p->stage, "%s", stage);
  p->done = done;
  p->total = total;
  if (p->terminal ? changed || now - p->last_line > 0.05
                  : now - p->last_line >= SILENT_SECONDS)
    draw(p, now);
  pthread_mutex_unlock(&p->lock);
}

void progress_clear(progress *p) {
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  if (p->drawn)
    fprintf(stderr, "\r\033[K");
  fflush(stderr);
  p->drawn = false;
  pthread_mutex_unlock(&p->lock);
}

void progress_destroy(progress *p) {
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  p->ended = true;
  pthread_cond_signal(&p->wake);
  pthread_mutex_unlock(&p->lock);
  if (p->has_thread)
    pthread_join(p->thread, NULL);
  progress_clear(p);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  free(p);
}
