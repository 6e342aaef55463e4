import { bucketOfDuration } from '@svc/core/execution/fixtures/bucket-of-duration';
import { type ExecutionState, hasEnded } from '@svc/core/execution/state';
import { NODE_NEXT, RUN_NEXT } from '@svc/core/pipeline/run/state';
import { plainText } from '@svc/hub/executions/stored-output';
import type { Ledger } from './ledger.ts';
import {
  type ChunkRow,
  type CountChangeRecord,
  type CountRecord,
  type ExecutionRecord,
  type Records,
  readRecords,
} from './ledger-records.ts';

/** The facts that the records are compared with: how often each command ran, and the answers of callers. */
export interface Witness {
  /** The id of the execution, for each time that a command of it began. */
  readonly ran: readonly string[];
  /** Executions and runs whose ids callers saw. */
  readonly acknowledged: Iterable<string>;
  readonly acknowledgedRuns: Iterable<string>;
  /** The ends of executions as their callers got them. */
  readonly results: ReadonlyMap<string, { readonly exitCode: number; readonly output: string }>;
  /** By idempotency key: the executions or runs that answers named. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  readonly decisions: readonly {
    readonly approvalId: string;
    readonly decision: 'approve' | 'deny';
    readonly status: number;
  }[];
  /** The whole output of an execution that succeeded; undefined if it is not known. */
  readonly outputOf: (slug: string, args: Readonly<Record<string, unknown>>) => string | undefined;
}

/** No command of these ever ran; of the others but `lost` and `cancelled` exactly one did. */
const NEVER_RAN: ReadonlySet<ExecutionState> = new Set(['denied', 'expired', 'missed', 'rejected']);
const RAN_ONCE: ReadonlySet<ExecutionState> = new Set(['succeeded', 'failed', 'timed_out']);
/** A fire is counted in the minute that it is of. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Holds the whole ledger against what must be true of it once nothing is under way: decisions 14, 23, 24, 29, 36, 37, 41
 * and 46. Answers what is not, in sentences; nothing when all is well.
 */
export async function brokenInvariants(ledger: Ledger, witness: Witness): Promise<string[]> {
  const records = await readRecords(ledger);
  return [
    ...everythingEnded(records),
    ...nothingAcknowledgedIsLost(records, witness),
    ...nothingRanTwice(records, witness),
    ...outputIsWhole(records, witness),
    ...callersGotTheTruth(records, witness),
    ...firesAreOnRecordOnce(records),
    ...approvalsWereDecidedOnce(records, witness),
    ...runsAreWhole(records),
    ...keysStandForOne(records, witness),
    ...quotaIsExact(records),
    ...statisticsAreRight(records),
    ...packedCountsAreRight(records),
    ...auditHasNoGap(records),
  ];
}

function everythingEnded({ executions, runs }: Records): string[] {
  const open = [...executions.values()].filter(({ state }) => !hasEnded(state));
  const stuck = runs.filter(({ state }) => RUN_NEXT[state].length > 0);
  return [
    ...open.map(({ id, slug, state }) => `execution ${id} of ${slug} is ${state} for ever`),
    ...stuck.map(({ id, state }) => `run ${id} is ${state} for ever`),
  ];
}

function nothingAcknowledgedIsLost({ executions, runs }: Records, witness: Witness): string[] {
  const runIds = new Set(runs.map(({ id }) => id));
  return [
    ...[...witness.acknowledged]
      .filter((id) => !executions.has(id))
      .map((id) => `execution ${id} was acknowledged and is not on record`),
    ...[...witness.acknowledgedRuns]
      .filter((id) => !runIds.has(id))
      .map((id) => `run ${id} was acknowledged and is not on record`),
  ];
}

function nothingRanTwice({ executions }: Records, { ran }: Witness): string[] {
  const times = Map.groupBy(ran, (id) => id);
  const unknown = [...times.keys()].filter((id) => !executions.has(id));
  const wrong = [...executions.values()].flatMap(({ id, slug, state, exit_code: exitCode }) => {
    const count = times.get(id)?.length ?? 0;
    const isRight =
      count === 0
        ? !RAN_ONCE.has(state) || (state === 'failed' && exitCode === null)
        : count === 1 && !NEVER_RAN.has(state);
    return isRight ? [] : [`execution ${id} of ${slug} is ${state} and ran ${count} times`];
  });
  return [...unknown.map((id) => `what ran as ${id} is not on record`), ...wrong];
}

function outputIsWhole({ executions, chunks }: Records, { outputOf }: Witness): string[] {
  return [...executions.values()].flatMap((execution) => {
    const { id, slug, state, last_seq: lastSeq, stored_bytes: storedBytes } = execution;
    const own = chunks.get(id) ?? [];
    const problems: string[] = [];
    if (own.some(({ seq }, index) => seq !== index + 1) || own.length !== lastSeq)
      problems.push(
        `the pieces of ${id} are ${own.map(({ seq }) => seq).join()}, and ${lastSeq} were counted`,
      );
    if (own.reduce((sum, { sse }) => sum + sse.length, 0) !== storedBytes)
      problems.push(`the ${storedBytes} bytes of ${id} are not what is stored`);
    const expected = outputOf(slug, JSON.parse(execution.args) as Record<string, unknown>);
    const text = textOf(own);
    const isRight = state === 'succeeded' ? text === expected : expected?.startsWith(text);
    if (expected !== undefined && isRight !== true)
      problems.push(`${id} of ${slug} is ${state} with the output ${JSON.stringify(text)}`);
    return problems;
  });
}

function textOf(chunks: readonly ChunkRow[]): string {
  return chunks
    .map(({ execution_id: executionId, seq, sse, endings }) =>
      plainText({ executionId, seq, sse, endings: endings ?? undefined }),
    )
    .join('');
}

function callersGotTheTruth({ executions, chunks }: Records, { results }: Witness): string[] {
  return [...results].flatMap(([id, { exitCode, output }]) => {
    const record = executions.get(id);
    if (record === undefined) return [`a caller got the result of ${id}, which is not on record`];
    const isSame = record.exit_code === exitCode && textOf(chunks.get(id) ?? []) === output;
    return isSame
      ? []
      : [`a caller got ${exitCode} of ${id}, and ${record.state} ${record.exit_code} is on record`];
  });
}

/** Each minute from the first fire of an endpoint to its last is on record once, as what ran or as what was missed. */
function firesAreOnRecordOnce({ executions }: Records): string[] {
  const fires = [...executions.values()].filter(({ scheduled_for_ms: atMs }) => atMs !== null);
  const byEndpoint = Map.groupBy(fires, ({ endpoint_id: id }) => id);
  return [...byEndpoint.values()].flatMap((own) => {
    const minutes = own.flatMap(({ scheduled_for_ms: atMs, missed_fires: count }) =>
      Array.from({ length: count ?? 1 }, (_, index) => (atMs ?? 0) / MINUTE_MS + index),
    );
    const span = Math.max(...minutes) - Math.min(...minutes) + 1;
    const isRight = new Set(minutes).size === minutes.length && minutes.length === span;
    return isRight ? [] : [`${own[0]?.slug} has ${minutes.length} records for ${span} minutes`];
  });
}

function approvalsWereDecidedOnce(
  { approvals, executions, decided }: Records,
  { decisions }: Witness,
): string[] {
  const received = Map.groupBy(
    decisions.filter(({ status }) => status === 200),
    ({ approvalId }) => approvalId,
  );
  return approvals.flatMap(({ id, execution_id: executionId, state }) => {
    const problems: string[] = [];
    const entries = decided.get(id) ?? [];
    const isDecided = state === 'approved' || state === 'denied';
    if (state === 'pending') problems.push(`approval ${id} waits for ever`);
    if (isDecided ? entries.join() !== state : entries.length > 0)
      problems.push(`approval ${id} is ${state}, and in the audit log: ${entries.join()}`);
    const accepted = received.get(id) ?? [];
    if (accepted.length > 1)
      problems.push(`${accepted.length} people got the answer that they decided on ${id}`);
    if (accepted.some(({ decision }) => (decision === 'approve' ? 'approved' : 'denied') !== state))
      problems.push(`a person got another decision on ${id} than ${state}`);
    const execution = executions.get(executionId)?.state;
    if (
      (state === 'denied') !== (execution === 'denied') ||
      (state === 'expired' && execution === 'succeeded')
    )
      problems.push(`approval ${id} is ${state} and its execution ${execution}`);
    return problems;
  });
}

function runsAreWhole({ runs, nodes, executions }: Records): string[] {
  const nodesOf = Map.groupBy(nodes, ({ run_id: id }) => id);
  const stepsOf = Map.groupBy(
    [...executions.values()].filter(({ run_id: id }) => id !== null),
    ({ run_id: id }) => id ?? '',
  );
  return runs.flatMap((run) => {
    const own = nodesOf.get(run.id) ?? [];
    const problems: string[] = [];
    if (run.open_nodes + run.active_nodes + run.waiting_nodes > 0)
      problems.push(`run ${run.id} is ${run.state} and counts nodes under way`);
    for (const { node, state, awaits } of own)
      if (NODE_NEXT[state].length > 0 || awaits !== 0)
        problems.push(`node ${node} of run ${run.id}, which is ${run.state}, is ${state}`);
    const tries = Map.groupBy(stepsOf.get(run.id) ?? [], ({ step, attempt }) => `${step} ${attempt}`);
    for (const [attempt, same] of tries)
      if (same.length > 1)
        problems.push(`attempt "${attempt}" of run ${run.id} has ${same.length} executions`);
    for (const { node, state, attempt } of own) {
      const last = tries.get(`${node} ${attempt}`)?.[0];
      if (state === 'succeeded' && last !== undefined && last.state !== 'succeeded')
        problems.push(`node ${node} of run ${run.id} succeeded, and its execution is ${last.state}`);
    }
    return problems;
  });
}

function keysStandForOne(records: Records, witness: Witness): string[] {
  const stored = new Map(records.keys.map(({ key, execution_id: id }) => [key, id]));
  return [...witness.keys].flatMap(([key, ids]) => {
    const [id = ''] = ids;
    if (ids.size > 1) return [`"${key}" stood for ${[...ids].join(' and ')}`];
    return stored.has(key) && stored.get(key) !== id
      ? [`"${key}" was answered with ${id} and stands for ${stored.get(key)}`]
      : [];
  });
}

/** A queued or begun execution used one, and returned it if it never started (decision 46, plans and quotas). */
function quotaIsExact({ executions, quotaUsed }: Records): string[] {
  const hasTaken = ({ state, reason, duration_ms: durationMs }: ExecutionRecord) =>
    RAN_ONCE.has(state) ||
    state === 'lost' ||
    state === 'running' ||
    state === 'queued' ||
    // An execution that an agent has refused or ended was given to it.
    (state === 'cancelled' && durationMs !== null) ||
    (state === 'rejected' && reason === 'refused');
  const taken = [...executions.values()].filter(hasTaken).length;
  return taken === quotaUsed ? [] : [`${taken} executions count, and the quota says ${quotaUsed}`];
}

/** Statistics are counted at the end of an execution, and say what the records say (decision 63, statistics). */
function statisticsAreRight({ executions, counts, countChanges }: Records): string[] {
  const expected = countsOf(executions);
  const counted = new Map(
    counts.map((row) => [`${spanOf(row)} ${row.state} ${row.bucket}`, Number(row.count)]),
  );
  for (const noted of countChanges)
    for (const key of countedUnder(noted)) counted.set(key, (counted.get(key) ?? 0) + noted.change);
  return [...new Set([...expected.keys(), ...counted.keys()])].flatMap((key) => {
    const [there, said] = [expected.get(key) ?? 0, counted.get(key) ?? 0];
    return there === said ? [] : [`${there} executions are "${key}", and the statistics say ${said}`];
  });
}

/** The packed rows of an hour or a day say what the records say, for all of its states (decision 114, packed counts). */
function packedCountsAreRight({ executions, packedCounts }: Records): string[] {
  const packedSpans = new Set(packedCounts.map(spanOf));
  const packed = new Map<string, number>();
  for (const row of packedCounts) {
    const pairs = row.durations.matchAll(/(-?\d+),(-?\d+)/g);
    for (const [, bucket, count] of pairs) packed.set(`${spanOf(row)} ${row.state} ${bucket}`, Number(count));
  }
  const expected = countsOf(executions);
  const keys = [...expected.keys()].filter((key) => packedSpans.has(key.split(' ').slice(0, 4).join(' ')));
  return [...new Set([...keys, ...packed.keys()])].flatMap((key) => {
    const [there, said] = [expected.get(key) ?? 0, packed.get(key) ?? 0];
    return there === said ? [] : [`${there} executions are "${key}", and the packed counts say ${said}`];
  });
}

function spanOf(row: Pick<CountRecord, 'workspace_id' | 'slug' | 'span_ms' | 'from_ms'>): string {
  return [row.workspace_id, row.slug, row.span_ms, row.from_ms].join(' ');
}

/** How many executions that have ended belong to each count. */
function countsOf(executions: Records['executions']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const execution of executions.values())
    if (hasEnded(execution.state))
      for (const key of countedUnder(execution)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The keys of the four counts to which an execution belongs. */
function countedUnder(one: Omit<CountChangeRecord, 'change'>): string[] {
  const { workspace_id: id, slug, state, created_at_ms: atMs, duration_ms: durationMs } = one;
  const bucket = bucketOfDuration(durationMs ?? undefined);
  return [slug, ''].flatMap((of) =>
    [HOUR_MS, DAY_MS].map((spanMs) => [id, of, spanMs, atMs - (atMs % spanMs), state, bucket].join(' ')),
  );
}

function auditHasNoGap({ audit }: Records): string[] {
  const byWorkspace = Map.groupBy(audit, ({ workspace_id: id }) => id);
  return [...byWorkspace].flatMap(([id, entries]) =>
    entries.every(({ seq }, index) => seq === index + 1) ? [] : [`the audit log of ${id} has a gap`],
  );
}
