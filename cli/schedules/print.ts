import type { ApiClient } from '@svc/core/api/client/client-of';
import { type Row, writeRows } from '../terminal.ts';

/** A schedule of the API. */
export type ShownSchedule = Awaited<ReturnType<ApiClient['pauseSchedule']>>;

/** Two lines per schedule: expression and next run, then the last runs. */
export function printSchedules(schedules: readonly ShownSchedule[], json: boolean): void {
  if (json) {
    for (const schedule of schedules) process.stdout.write(`${JSON.stringify(schedule)}\n`);
    return;
  }
  const rows = schedules.flatMap(rowsOf);
  if (rows.length > 0) writeRows(process.stdout, rows);
  else process.stderr.write('no schedules\n');
}

function rowsOf({ endpoint, schedule, words, state, ...rest }: ShownSchedule): Row[] {
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
