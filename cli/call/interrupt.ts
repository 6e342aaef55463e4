import { type FactRow, writeRows } from '../terminal.ts';

/** 128 + SIGINT, as shells have it. */
const INTERRUPTED = 130;

/** Ctrl-C prints these rows on standard error and ends the program. Returns what restores the usual Ctrl-C. */
export function onInterrupt(rows: readonly FactRow[]): () => void {
  const interrupt = () => {
    if (process.stderr.isTTY) process.stderr.write('\n');
    writeRows(process.stderr, rows);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}
