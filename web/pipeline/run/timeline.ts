import type { Answer } from '../../api/read.ts';
import { type ShownState, STATES } from '../../design/state/states.ts';
import { shownRunState } from './run-words.ts';

type Run = Pick<Answer<'showPipelineRun'>, 'created_at' | 'ended_at' | 'nodes'>;
type Node = Run['nodes'][number];

/** One attempt of a step on the axis of its run: shares of the whole span, from 0 to 1. */
export interface TimelineBar {
  readonly id: string;
  readonly attempt: number;
  readonly state: ShownState;
  /** When the attempt was created. */
  readonly from: number;
  /** When its command started; equal to `to` if it has not, or never will. */
  readonly started: number;
  readonly to: number;
}

export interface TimelineRow {
  readonly node: string;
  readonly state: ShownState;
  /** From the first start, or the wait for it, to the last end in milliseconds; undefined: there was no attempt. */
  readonly ms: number | undefined;
  /** A short fact, in place of a bar or beside it. */
  readonly note: string | undefined;
  readonly bars: readonly TimelineBar[];
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly spanMs: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** The steps of a run along its time. Open ends are at `nowMs`, epoch milliseconds. */
export function timelineOf(run: Run, nowMs: number): Timeline {
  const beginMs = Date.parse(run.created_at);
  const endMs = run.ended_at === null ? nowMs : Date.parse(run.ended_at);
  const spanMs = Math.max(endMs - beginMs, 1);
  const share = (atMs: number) => Math.min(Math.max((atMs - beginMs) / spanMs, 0), 1);
  const rows = run.nodes.map((node) => ({
    node: node.node,
    state: shownRunState(node.status),
    ms: spanOf(node, endMs),
    note: noteOf(node),
    bars: node.attempts.map((attempt) => {
      const to = attempt.ended_at === null ? endMs : Date.parse(attempt.ended_at);
      const started = attempt.started_at === null ? to : Date.parse(attempt.started_at);
      return {
        id: attempt.execution_id,
        attempt: attempt.attempt,
        state: attempt.status,
        from: share(Date.parse(attempt.created_at)),
        started: share(started),
        to: share(to),
      };
    }),
  }));
  return { rows, spanMs, ticks: ticksOf(spanMs) };
}

function spanOf(
  { started_at, ended_at, attempts: [first], carried }: Node,
  endMs: number,
): number | undefined {
  if (carried || first === undefined) return undefined;
  const begin = Date.parse(started_at ?? first.created_at);
  return Math.max((ended_at === null ? endMs : Date.parse(ended_at)) - begin, 0);
}

function noteOf({ attempts, holds, carried, status, retry_at, attempt }: Node): string | undefined {
  if (carried) return 'reused from the previous run';
  if (holds !== undefined) return holds ? 'true' : 'false';
  if (retry_at !== undefined) return `attempt ${attempt} follows`;
  if (attempts.length > 1) return `${attempts.length} attempts`;
  return attempts.length === 0 && status !== 'queued'
    ? STATES[shownRunState(status)].word.toLowerCase()
    : undefined;
}

const [SEC_MS, MIN_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SEC_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MIN_MS),
  ...[1, 2, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 30].map((count) => count * DAY_MS),
];
const MAX_TICKS = 4;

/** Round times within the span. The last one keeps its distance from the end, where its label would not fit. */
function ticksOf(spanMs: number): Timeline['ticks'] {
  const stepMs = STEPS_MS.find((step) => spanMs / step <= MAX_TICKS) ?? spanMs;
  const count = Math.floor((spanMs * 0.92) / stepMs);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: (index * stepMs) / spanMs,
    label: index === 0 ? '0' : tickWords(index * stepMs, stepMs),
  }));
}

/** In the unit of the step, so that the labels of an axis can be compared. */
function tickWords(ms: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return `${ms / DAY_MS} d`;
  if (stepMs >= HOUR_MS) return `${ms / HOUR_MS} h`;
  if (stepMs >= MIN_MS) return `${ms / MIN_MS} min`;
  return ms >= SEC_MS ? `${ms / SEC_MS} s` : `${ms} ms`;
}
