import { allItems } from '@svc/core/api/client/client';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import { nextFires } from '@svc/core/schedule/fire-times';
import { Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { type FactRow, writeRows } from '../terminal.ts';

/** A schedule of the API. */
type ShownSchedule = Awaited<ReturnType<ApiClient['pauseSchedule']>>;

/** Two lines per schedule: expression and next run, then the last runs. */
function printSchedules(schedules: readonly ShownSchedule[], json: boolean): void {
  if (json) {
    for (const schedule of schedules) process.stdout.write(`${JSON.stringify(schedule)}\n`);
    return;
  }
  const rows = schedules.flatMap(rowsOf);
  if (rows.length > 0) writeRows(process.stdout, rows);
  else process.stderr.write('no schedules\n');
}

function rowsOf({ endpoint, schedule, words, state, ...rest }: ShownSchedule): FactRow[] {
  const next = state === 'active' ? `next ${minute(rest.next_fires[0])}` : state;
  return [
    {
      label: endpoint,
      text: `${schedule}  ${words}; ${next}`,
      ...(state === 'active' ? {} : { tone: 'warning' as const }),
    },
    { label: '', text: [fireText('last', rest.last_fire), fireText('missed', rest.last_missed)].join(', ') },
  ];
}

function fireText(what: string, fire: ShownSchedule['last_fire']): string {
  if (fire === null) return `${what} never`;
  return `${what} ${minute(fire.scheduled_for)} (${fire.reason ?? fire.status})`;
}

/** `2026-11-20 12:00` */
function minute(time: string | undefined): string {
  return time === undefined ? 'never' : time.slice(0, 16).replace('T', ' ');
}

/** `svc schedules list`: all schedules of the workspace. */
export async function listSchedules(options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const pages = allItems((cursor) => api.listSchedules({ query: { limit: 100, cursor } }));
  const all: ShownSchedule[] = await orFail(Array.fromAsync(pages));
  printSchedules(all, options.json === true);
}

/** `svc schedules pause`. */
export async function pauseSchedule(endpoint: string, options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const paused = await orFail(api.pauseSchedule({ parameters: { name: endpoint } }));
  printSchedules([paused], options.json === true);
}

/** `svc schedules resume`. */
export async function resumeSchedule(endpoint: string, options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const resumed = await orFail(api.resumeSchedule({ parameters: { name: endpoint } }));
  printSchedules([resumed], options.json === true);
}

const FIRES = 5;

/** `svc schedules next`: explains an expression and prints its next fire times. */
export function explainExpression(
  expression: string,
  { json }: { readonly json?: true },
  nowMs: number,
): void {
  const cron = parseCron(expression);
  if (cron.kind === 'problem') throw new Failure(cron.message);
  const words = cronWords(cron.fields);
  const fires = nextFires(cron.fields, nowMs, FIRES).map((atMs) => new Date(atMs).toISOString());
  if (json) {
    process.stdout.write(`${JSON.stringify({ schedule: expression, words, next_fires: fires })}\n`);
    return;
  }
  process.stdout.write(`${[words, ...fires.map((at) => `  ${at}`)].join('\n')}\n`);
}
