/** The rules of reference 8 in figures, for every engine. */

const MIB = 1024 * 1024;

/** The ids of the user and group `runner` in the image. */
export const RUNNER_UID = 10_001;

/** The sizes of the file systems in memory, in bytes: /tmp, /output and the rest. */
export const SIZES = {
  tmp: 100 * MIB,
  output: 100 * MIB,
  workspace: 256 * MIB,
  shm: 16 * MIB,
  dev: 64 * 1024,
} as const;

/** The most files in each of them. */
export const INODES = 65_536;

/** The process limit of one container, including process 1. */
export const PROCESSES = 256;

export const OPEN_FILES = { soft: 1_024, hard: 4_096 } as const;

/** Kernel files that only the owner of the machine may read. */
export const MASKED_PATHS = [
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/firmware',
] as const;

export const READONLY_PATHS = [
  '/proc/asound',
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
] as const;
