import { readdirSync } from 'node:fs';

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** The state of the process, under the standard names of Prometheus clients. */
export const PROCESS_GAUGES: readonly Figure[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'process_heap_bytes',
    help: 'Memory that JavaScript has in use',
    read: () => process.memoryUsage().heapUsed,
  },
  { name: 'process_open_fds', help: 'Open descriptors', read: openDescriptors },
  {
    name: 'process_start_time_seconds',
    help: 'When the process began, in Unix time',
    read: () => performance.timeOrigin / 1000,
  },
];

export const PROCESS_COUNTERS: readonly Figure[] = [
  {
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  },
];

/** Reading the directory opens one descriptor itself. Without `/proc` the number is unknown. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return 0;
  }
}
