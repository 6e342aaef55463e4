import { isTooEarly, type SuccessRule, successEvent, waitsSinceMs } from '@svc/core/alert/no-success';
import { statsSpan } from '@svc/core/execution/execution-stats';
import { LIMITS } from '@svc/core/plan/limits';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { MissingSuccesses } from './store/missing-successes.ts';

const PAGE = 100;

export interface SuccessWatchDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: Pick<ExecutionLedger, 'list' | 'statistics'>;
  readonly runs: Pick<PipelineRuns, 'list'>;
  readonly lookups: Pick<CallLookups, 'pipeline'>;
  readonly missingSuccesses: MissingSuccesses;
}

/**
 * Publishes alerts about endpoints and pipelines that had no success for too long: once, however many hubs check at once, and once
 * more at the next success (decision 39, alerts).
 *
 * It reads the records, so a restart misses nothing. A success that was found is remembered until it is too old.
 */
export class SuccessWatch {
  readonly #deps: SuccessWatchDeps;
  /** By rule: before that moment it cannot be due. */
  readonly #notBefore = new Map<string, number>();

  constructor(deps: SuccessWatchDeps) {
    this.#deps = deps;
  }

  async publish(): Promise<void> {
    const { missingSuccesses, clock } = this.#deps;
    const rules = await missingSuccesses.rules();
    const known = new Set(rules.map(keyOf));
    for (const key of this.#notBefore.keys()) if (!known.has(key)) this.#notBefore.delete(key);
    for (const rule of rules) {
      const nowMs = clock.nowMs();
      if (!isTooEarly(rule, nowMs) && (this.#notBefore.get(keyOf(rule)) ?? 0) <= nowMs)
        await this.#check(rule, nowMs);
    }
  }

  async #check(rule: SuccessRule, nowMs: number): Promise<void> {
    const { missingSuccesses, random, lookups } = this.#deps;
    const { workspaceId, slug, noSuccessMins, alertedAtMs } = rule;
    const isPipeline = (await lookups.pipeline(workspaceId, slug)) !== undefined;
    const sinceMs = waitsSinceMs(rule, nowMs);
    const succeededAtMs = isPipeline
      ? await succeededRun(this.#deps, rule, sinceMs)
      : await succeededExecution(this.#deps, rule, sinceMs, nowMs);
    const event = successEvent(
      rule,
      { succeededAtMs, isPipeline },
      { id: random.uuid(), workspaceId, atMs: nowMs },
    );
    if (event !== undefined)
      await (alertedAtMs === undefined
        ? missingSuccesses.alert(rule, event)
        : missingSuccesses.resume(rule, event));
    else if (succeededAtMs !== undefined)
      this.#notBefore.set(keyOf(rule), succeededAtMs + noSuccessMins * 60_000);
  }
}

/** The key of the memory about a rule: another endpoint has other successes. */
function keyOf({ id, slug, noSuccessMins, alertedAtMs }: SuccessRule): string {
  return `${id} ${slug} ${noSuccessMins} ${alertedAtMs ?? ''}`;
}

type Watched = Pick<SuccessRule, 'workspaceId' | 'slug'>;

/**
 * The end of a success since a moment; undefined: there is none. Executions are on record by their creation, and may run for a day
 * from then on. The counts say in which hours or days there were successes, so that only those are looked through.
 */
async function succeededExecution(
  { ledger }: SuccessWatchDeps,
  { workspaceId, slug }: Watched,
  sinceMs: number,
  nowMs: number,
): Promise<number | undefined> {
  const fromMs = sinceMs - LIMITS.maxTimeoutSec * 1_000;
  const span = statsSpan(fromMs, nowMs + 1, 'hour') ?? statsSpan(fromMs, nowMs + 1, 'day');
  if (span === undefined) return undefined;
  const { counts, completeFromMs } = await ledger.statistics({ workspaceId, slug }, span);
  const counted = counts.filter(({ state }) => state === 'succeeded').map(({ atMs }) => atMs);
  const buckets = [...new Set(counted)].sort((a, b) => b - a);
  const spans = [
    ...buckets.map((atMs) => ({ fromMs: atMs, untilMs: atMs + span.bucketMs })),
    ...(completeFromMs > span.fromMs ? [{ fromMs: span.fromMs, untilMs: completeFromMs }] : []),
  ];
  for (const within of spans) {
    const endedAtMs = await endedIn(ledger, { workspaceId, slug, ...within }, sinceMs);
    if (endedAtMs !== undefined) return endedAtMs;
  }
  return undefined;
}

async function endedIn(
  ledger: SuccessWatchDeps['ledger'],
  filter: Watched & { readonly fromMs: number; readonly untilMs: number },
  sinceMs: number,
): Promise<number | undefined> {
  let cursor: string | undefined;
  do {
    const page = await ledger.list({
      ...filter,
      states: ['succeeded'],
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const ended = page.items.find(({ endedAtMs = 0 }) => endedAtMs >= sinceMs);
    if (ended !== undefined) return ended.endedAtMs;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}

/** Runs are found by their creation too; one that took longer than a week is not looked for. */
const MAX_RUN_MS = 7 * 24 * 60 * 60 * 1_000;

async function succeededRun(
  { runs }: SuccessWatchDeps,
  { workspaceId, slug }: Watched,
  sinceMs: number,
): Promise<number | undefined> {
  let cursor: string | undefined;
  do {
    const page = await runs.list({
      ...{ workspaceId, slug, state: 'succeeded', limit: PAGE },
      ...(cursor === undefined ? {} : { cursor }),
    });
    const ended = page.items.find(({ head: { endedAtMs = 0 } }) => endedAtMs >= sinceMs);
    if (ended !== undefined) return ended.head.endedAtMs;
    const last = page.items.at(-1);
    cursor = last !== undefined && last.createdAtMs < sinceMs - MAX_RUN_MS ? undefined : page.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}
