/*
 * The least that running a command can cost: one process that spawns, reads the pipe to its end and reaps.
 *
 *   spawn throughput CONCURRENCY SECONDS PROGRAM [ARGUMENT...]
 *   spawn first-byte CALLS PROGRAM [ARGUMENT...]
 *
 * Answers on stdout with one line of JSON: {"spawned":N,"seconds":S} or {"nanoseconds":[...]}.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONCURRENCY 64

extern char **environ;

struct child {
  pid_t pid;
  int output;
  int bytes;
};

static void give_up(const char *what, int error) {
  fprintf(stderr, "%s%s%s\n", what, error ? ": " : "", error ? strerror(error) : "");
  exit(1);
}

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static struct child start(char **argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) give_up("pipe2", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  struct child child = {.output = ends[0], .bytes = 0};
  int error = posix_spawn(&child.pid, argv[0], &actions, NULL, argv, environ);
  if (error != 0) give_up(argv[0], error);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  return child;
}

/* Reads once; 0 is the end of the output. */
static int read_output(struct child *child) {
  char buffer[4096];
  ssize_t count = read(child->output, buffer, sizeof buffer);
  if (count < 0) give_up("read", errno);
  child->bytes += count;
  return count;
}

/* A child that failed or printed nothing would make the floor look lower than it is. */
static void reap(struct child *child) {
  int status;
  if (waitpid(child->pid, &status, 0) < 0) give_up("waitpid", errno);
  if (status != 0 || child->bytes == 0) give_up("the command failed or printed nothing", 0);
  close(child->output);
}

static void throughput(int concurrency, double seconds, char **argv) {
  struct pollfd polled[MAX_CONCURRENCY];
  struct child children[MAX_CONCURRENCY];
  long spawned = 0;
  int running = 0;
  long long began = now_ns(), until = began + (long long)(seconds * 1e9);
  for (; running < concurrency; running++) {
    children[running] = start(argv);
    polled[running] = (struct pollfd){.fd = children[running].output, .events = POLLIN};
  }
  while (running > 0) {
    if (poll(polled, concurrency, -1) < 0) give_up("poll", errno);
    for (int i = 0; i < concurrency; i++) {
      if (polled[i].fd < 0 || polled[i].revents == 0 || read_output(&children[i]) > 0) continue;
      reap(&children[i]);
      spawned++;
      if (now_ns() < until) {
        children[i] = start(argv);
        polled[i].fd = children[i].output;
      } else {
        polled[i].fd = -1;
        running--;
      }
    }
  }
  printf("{\"spawned\":%ld,\"seconds\":%.6f}\n", spawned, (now_ns() - began) / 1e9);
}

static void first_byte(int calls, char **argv) {
  printf("{\"nanoseconds\":[");
  for (int i = 0; i < calls; i++) {
    long long began = now_ns();
    struct child child = start(argv);
    int more = read_output(&child);
    printf("%s%lld", i == 0 ? "" : ",", now_ns() - began);
    while (more > 0) more = read_output(&child);
    reap(&child);
  }
  printf("]}\n");
}

int main(int count, char **argv) {
  if (count > 4 && strcmp(argv[1], "throughput") == 0) {
    int concurrency = atoi(argv[2]);
    if (concurrency < 1 || concurrency > MAX_CONCURRENCY) give_up("CONCURRENCY", ERANGE);
    throughput(concurrency, atof(argv[3]), argv + 4);
  } else if (count > 3 && strcmp(argv[1], "first-byte") == 0) {
    first_byte(atoi(argv[2]), argv + 3);
  } else {
    fprintf(stderr, "usage: spawn throughput CONCURRENCY SECONDS PROGRAM [ARGUMENT...]\n"
                    "       spawn first-byte CALLS PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  return 0;
}
