import type { ShortageEvent } from '@svc/agent/shortages';
import type { Row } from '../terminal.ts';

type Shortage = ShortageEvent['shortage'];

/** What ran out, what happens to calls, and what to do about it. */
const BEGINS = {
  descriptors:
    'no file descriptors are left: commands cannot be started, and their calls fail with 502. Raise the limit of this process (ulimit -n, or LimitNOFILE= in its systemd unit), or make fewer calls at a time',
  processes:
    'no more processes may be started: commands cannot be started, and their calls fail with 502. Raise the limit of this user or service (ulimit -u, or TasksMax= in its systemd unit), or make fewer calls at a time',
  disk: 'no disk space is left for the state folder: calls are refused with 503, and commands with much output wait. Free space on that disk, or start the agent with another --state-dir',
} as const satisfies Record<Shortage, string>;

const OVER = {
  descriptors: 'file descriptors are free again: commands are started',
  processes: 'processes may be started again: commands are started',
  disk: 'the state folder has disk space again: calls are taken',
} as const satisfies Record<Shortage, string>;

/** One line at each end of a shortage, for a log that people read. */
export function shortageRow({ kind, shortage }: ShortageEvent): Row {
  return kind === 'shortage'
    ? { label: 'TROUBLE', text: BEGINS[shortage], tone: 'error' }
    : { label: 'over', text: OVER[shortage] };
}
