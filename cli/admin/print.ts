import { type Row, writeRows } from '../terminal.ts';
import type { AdminOptions } from './options.ts';

/** One result: a JSON line for programs, rows for people. */
export function printResult({ json }: AdminOptions, line: object, rows: readonly Row[]): void {
  if (json) process.stdout.write(`${JSON.stringify(line)}\n`);
  else writeRows(process.stdout, rows);
}

/** Text of others in one line of a terminal: what would move its cursor or change its colours is made visible. */
export function visible(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (control) => {
    return `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
