/** The shapes of `Mark`. */
export type MarkShape =
  | 'bar'
  | 'diamond'
  | 'queue'
  | 'tick'
  | 'cross'
  | 'clock'
  | 'broken'
  | 'ring'
  | 'stop'
  | 'square'
  | 'dot'
  | 'hourglass'
  | 'pause';

type Tone = 'running' | 'waiting' | 'good' | 'bad' | 'never' | 'soft';

interface Shown {
  readonly mark: MarkShape;
  readonly word: string;
  readonly tone: Tone;
}

/**
 * The mark, word and colour of each state; a state is never shown by colour alone. A word means the same for executions,
 * steps, approvals, pipeline runs and agents.
 */
export const STATES = {
  pending_approval: { mark: 'diamond', word: 'Needs approval', tone: 'waiting' },
  queued: { mark: 'queue', word: 'Queued', tone: 'waiting' },
  waiting: { mark: 'diamond', word: 'Waiting', tone: 'waiting' },
  running: { mark: 'bar', word: 'Running', tone: 'running' },
  succeeded: { mark: 'tick', word: 'Succeeded', tone: 'good' },
  approved: { mark: 'tick', word: 'Approved', tone: 'good' },
  failed: { mark: 'cross', word: 'Failed', tone: 'bad' },
  timed_out: { mark: 'clock', word: 'Timed out', tone: 'bad' },
  lost: { mark: 'broken', word: 'Lost', tone: 'bad' },
  cancelled: { mark: 'square', word: 'Cancelled', tone: 'soft' },
  denied: { mark: 'stop', word: 'Denied', tone: 'never' },
  rejected: { mark: 'stop', word: 'Rejected', tone: 'never' },
  expired: { mark: 'hourglass', word: 'Expired', tone: 'never' },
  missed: { mark: 'ring', word: 'Missed', tone: 'never' },
  skipped: { mark: 'ring', word: 'Skipped', tone: 'never' },
  paused: { mark: 'pause', word: 'Paused', tone: 'soft' },
  online: { mark: 'dot', word: 'Online', tone: 'good' },
  offline: { mark: 'ring', word: 'Offline', tone: 'soft' },
} as const satisfies Record<string, Shown>;

export type ShownState = keyof typeof STATES;

export const TONE_CLASS: Readonly<Record<Tone, string>> = {
  running: 'text-running',
  waiting: 'text-waiting',
  good: 'text-good',
  bad: 'text-bad',
  never: 'text-never',
  soft: 'text-soft',
};
