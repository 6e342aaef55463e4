import { TerminalFilter } from '@svc/core/text/terminal-filter';

/** One fact per line: label and text. */
export interface FactRow {
  readonly label: string;
  readonly text: string;
  readonly tone?: 'accent' | 'warning' | 'error';
}

const CODES = { accent: '36', warning: '33', error: '31' } as const;

/**
 * Writes rows with aligned texts. Labels have colour only on a terminal without NO_COLOR.
 *
 * @param minWidth the width of the labels of earlier rows
 * @returns the width of the labels
 */
export function writeRows(stream: NodeJS.WriteStream, rows: readonly FactRow[], minWidth = 0): number {
  const width = Math.max(minWidth, ...rows.map(({ label }) => label.length));
  const hasColour = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  for (const { label, text, tone = 'accent' } of rows) {
    const shown = hasColour && label !== '' ? `\x1b[${CODES[tone]}m${label}\x1b[0m` : label;
    stream.write(`${shown}${' '.repeat(width - label.length)}  ${text}\n`);
  }
  return width;
}

/** Streams without a filter. */
const raw = new Set<NodeJS.WriteStream>();

/**
 * Filters everything that is printed on a terminal: escape sequences in text from others could change the clipboard or type
 * for the reader (decision 64, borders of people and browsers). A pipe or file gets every byte unchanged.
 */
export function guardTerminals(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.isTTY !== true) continue;
    const filter = new TerminalFilter();
    const write = stream.write.bind(stream) as (text: string | Uint8Array, ...rest: unknown[]) => boolean;
    stream.write = (text: string | Uint8Array, ...rest: unknown[]) =>
      write(
        raw.has(stream) ? text : filter.push(typeof text === 'string' ? text : Buffer.from(text).toString()),
        ...rest,
      );
  }
}

/** `--raw`: standard output is not filtered. */
export function printRaw(): void {
  raw.add(process.stdout);
}

/** Ends the program with success when its reader has closed the output (`svc tail | head`). */
export function endWithReader(): void {
  process.stdout.on('error', () => process.exit(0));
}

/** A reader may stop reading our output (`svc serve | head`); that is not an error. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
