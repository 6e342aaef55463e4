import type { ShortageEvent } from '@svc/agent/shortages';
import type { FactRow } from '../terminal.ts';

type Shortage = ShortageEvent['shortage'];

/** The start of a shortage: what ran out, what happens to calls, and what to do. */
const BEGINS = {
  descriptors:
    'no file descriptors left: commands cannot start, and their calls fail with 502. Raise the limit of this process (ulimit -n, or LimitNOFILE= in its systemd unit), or make fewer calls at a time',
  processes:
    'process limit reached: commands cannot start, and their calls fail with 502. Raise the limit of this user or service (ulimit -u, or TasksMax= in its systemd unit), or make fewer calls at a time',
  disk: 'no disk space left for the state folder: calls are refused with 503, and commands with much output wait. Free space on that disk, or start the agent with another --state-dir',
} as const satisfies Record<Shortage, string>;

const OVER = {
  descriptors: 'file descriptors available again: commands can start',
  processes: 'processes available again: commands can start',
  disk: 'disk space available again: calls are accepted',
} as const satisfies Record<Shortage, string>;

/** One line at the start and the end of a shortage. */
export function shortageRow({ kind, shortage }: ShortageEvent): FactRow {
  return kind === 'shortage'
    ? { label: 'TROUBLE', text: BEGINS[shortage], tone: 'error' }
    : { label: 'over', text: OVER[shortage] };
}
