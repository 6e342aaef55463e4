import { type FactRow, writeRows } from '../terminal.ts';
import type { AdminOptions } from './options.ts';

/** Prints a result: a JSON line for programs, rows for people. */
export function printResult({ json }: AdminOptions, line: object, rows: readonly FactRow[]): void {
  if (json) process.stdout.write(`${JSON.stringify(line)}\n`);
  else writeRows(process.stdout, rows);
}

/** Text from other people for one line of a terminal: control characters are made visible. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (control) => {
    return `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
