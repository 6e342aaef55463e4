/**
 * The system calls that a container may make, by name: Docker's default profile (moby, `profiles/seccomp`) for a process
 * without capabilities, but narrower. It also refuses io_uring, inspection of other processes (ptrace and similar calls),
 * 32-bit programs, and sockets of other families than those below.
 *
 * Every other call fails with EPERM. Names that an architecture lacks are skipped.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  files: `access chdir chmod chown close_range copy_file_range creat faccessat faccessat2 fadvise64 fallocate fchdir fchmod
    fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstatfs fsync
    ftruncate futimesat getcwd getdents getdents64 getxattr lchown lgetxattr link linkat listxattr llistxattr lremovexattr
    lseek lsetxattr lstat mkdir mkdirat mknod mknodat name_to_handle_at newfstatat open openat openat2 readahead readlink
    readlinkat removexattr rename renameat renameat2 rmdir setxattr stat statfs statx symlink symlinkat sync
    sync_file_range syncfs truncate umask unlink unlinkat utime utimensat utimes`,
  descriptors: `close dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
    epoll_wait_old eventfd eventfd2 fcntl inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel
    io_destroy io_getevents io_pgetevents io_setup io_submit ioctl pipe pipe2 poll ppoll pread64 preadv preadv2 pselect6
    pwrite64 pwritev pwritev2 read readv select sendfile signalfd signalfd4 splice tee timerfd_create timerfd_gettime
    timerfd_settime vmsplice write writev`,
  memory: `brk cachestat madvise map_shadow_stack membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap
    mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect process_mrelease remap_file_pages`,
  processes: `arch_prctl capget capset execve execveat exit exit_group fork get_robust_list get_thread_area getpgid getpgrp
    getpid getppid getpriority getrlimit getrusage getsid gettid ioprio_get ioprio_set kill landlock_add_rule
    landlock_create_ruleset landlock_restrict_self pause pidfd_open pidfd_send_signal prctl prlimit64 restart_syscall rseq
    seccomp set_robust_list set_thread_area set_tid_address setpgid setpriority setrlimit setsid tgkill times tkill vfork
    wait4 waitid`,
  scheduling: `getcpu sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
    sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield`,
  signals: `rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
    rt_tgsigqueueinfo sigaltstack`,
  time: `adjtimex alarm clock_adjtime clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer
    time timer_create timer_delete timer_getoverrun timer_gettime timer_settime`,
  users: `getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid setfsuid setgid setgroups setregid setresgid
    setresuid setreuid setuid`,
  sockets: `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg
    sendto setsockopt shutdown socketpair`,
  'between processes': `futex futex_requeue futex_wait futex_waitv futex_wake mq_getsetattr mq_notify mq_open mq_timedreceive
    mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget`,
  'the machine': 'getrandom sysinfo uname',
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** Linux unchanged, with UNAME26, and without address randomization; the last value queries the present one. */
const PERSONALITIES = [0x0, 0x20000, 0x8, 0x20008, 0xffffffff];

/** The flags of `clone` that make a namespace: CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET. */
const NAMESPACE_FLAGS = 0x7e020000;

const ENOSYS = 38;

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
};

/** The profile in the form of a runtime configuration (OCI runtime specification, "seccomp"). */
export function seccompProfile(architecture: NodeJS.Architecture): object {
  const allowed = (names: readonly string[], args: readonly object[] = []) => ({
    names,
    action: 'SCMP_ACT_ALLOW',
    ...(args.length === 0 ? {} : { args }),
  });
  const when = (value: number) => ({ index: 0, value, op: 'SCMP_CMP_EQ' });
  const withoutNamespaces = { index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' };
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    architectures: [ARCHITECTURES[architecture]],
    syscalls: [
      allowed(Object.values(ALLOWED).flatMap((names) => names.split(/\s+/))),
      ...SOCKET_FAMILIES.map((family) => allowed(['socket'], [when(family)])),
      ...PERSONALITIES.map((personality) => allowed(['personality'], [when(personality)])),
      allowed(['clone'], [withoutNamespaces]),
      // The flags of clone3 are in memory, which a filter cannot read. A program that gets ENOSYS uses `clone`.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ],
  };
}
