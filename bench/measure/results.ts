import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './report.ts';

const RESULTS = join(import.meta.dir, '..', 'results');

/** Writes the report with its raw rows, one row per line; a second run of a day replaces the first. */
export async function writeReport(report: Report): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const name = `${report.benchmark}-${report.date}.json`;
  await Bun.write(join(RESULTS, name), toJson(report));
  return `bench/results/${name}`;
}

function toJson(report: Report): string {
  const rows = report.sections.flatMap(({ title, turns }) =>
    turns.map((turn) => ({ section: title, ...turn })),
  );
  const withoutRows = (key: string, value: unknown) => (key === 'turns' ? undefined : value);
  const outline = JSON.stringify(report, withoutRows, 2).slice(0, -'\n}'.length);
  return `${outline},\n  "rows": [\n    ${rows.map((row) => JSON.stringify(row)).join(',\n    ')}\n  ]\n}\n`;
}
