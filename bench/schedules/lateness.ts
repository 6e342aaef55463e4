import type { Execution, ExecutionLedger } from '@svc/hub/executions/execution-ports';

const PAGE = 2_000;

/** The result of one minute, in milliseconds after it began. */
export interface MinuteLateness {
  /** When the record of each fire was made, about to be stored; ascending. */
  readonly recorded: readonly number[];
  /** When the order of each was at its agent: its record was stored before that. */
  readonly started: readonly number[];
}

interface Fired {
  readonly workspaceId: string;
  readonly schedules: number;
  /** When the order of each execution reached its agent, by its id. */
  readonly orders: ReadonlyMap<string, number>;
}

/** Each whole minute in the store; anything but one fire of each schedule is an error, because figures would mean nothing. */
export async function latenessOf(
  ledger: ExecutionLedger,
  { workspaceId, schedules, orders }: Fired,
): Promise<MinuteLateness[]> {
  const byMinute = new Map<number, Execution[]>();
  for await (const execution of all(ledger, workspaceId)) {
    const minute = execution.scheduledForMs ?? 0;
    byMinute.set(minute, [...(byMinute.get(minute) ?? []), execution]);
  }
  const minutes = [...byMinute].toSorted(([a], [b]) => a - b);
  return minutes.map(([minuteMs, fires]) => {
    const missed = fires.filter(({ id }) => !orders.has(id)).length;
    const distinct = new Set(fires.map(({ endpointId }) => endpointId)).size;
    if (missed > 0 || distinct !== schedules || fires.length !== schedules)
      throw new Error(
        `${fires.length} fires of ${distinct} schedules, ${missed} not started: ${schedules} expected`,
      );
    const after = (atMs: number | undefined) => (atMs ?? 0) - minuteMs;
    return {
      recorded: sorted(fires.map(({ createdAtMs }) => after(createdAtMs))),
      started: sorted(fires.map(({ id }) => after(orders.get(id)))),
    };
  });
}

/** The smallest value that so large a part of all is not above; of values in ascending order. */
export function percentile(ascending: readonly number[], part: number): number {
  return ascending[Math.ceil(ascending.length * part) - 1] ?? Number.NaN;
}

async function* all(ledger: ExecutionLedger, workspaceId: string): AsyncGenerator<Execution> {
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ workspaceId, limit: PAGE, ...(cursor && { cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
