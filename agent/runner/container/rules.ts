/** The rules of reference 8 in figures, whichever engine keeps them; and what goes with them. */

const MIB = 1024 * 1024;

/** The user `runner` of the image, and the group. */
export const RUNNER_UID = 10_001;

/** Of the file systems in memory, in bytes: /tmp, /output, and what is around them. */
export const SIZES = {
  tmp: 100 * MIB,
  output: 100 * MIB,
  workspace: 256 * MIB,
  shm: 16 * MIB,
  dev: 64 * 1024,
} as const;

/** How many files each of them has room for. */
export const INODES = 65_536;

/** Of one container, its process 1 included. */
export const PROCESSES = 256;

export const OPEN_FILES = { soft: 1_024, hard: 4_096 } as const;

/** What the kernel tells only those whom the machine belongs to. */
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
