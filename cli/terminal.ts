import { TerminalFilter } from '@svc/core/text/terminal-filter';

/** One fact per line: what it is about, then what is the case. */
export interface Row {
  readonly label: string;
  readonly text: string;
  readonly tone?: 'accent' | 'warning' | 'error';
}

const CODES = { accent: '36', warning: '33', error: '31' } as const;

/** Writes rows whose texts stand below each other; labels have colour on a terminal only, and not under NO_COLOR. */
export function writeRows(stream: NodeJS.WriteStream, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ label }) => label.length));
  const hasColour = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  for (const { label, text, tone = 'accent' } of rows) {
    const shown = hasColour && label !== '' ? `\x1b[${CODES[tone]}m${label}\x1b[0m` : label;
    stream.write(`${shown}${' '.repeat(width - label.length)}  ${text}\n`);
  }
}

/** Streams whose text goes to the terminal as it is. */
const raw = new Set<NodeJS.WriteStream>();

/**
 * Everything that is printed on a terminal goes through a filter: output of commands, names and messages come from others,
 * and escape sequences of theirs could change the clipboard or type for the reader (decision 64). What is no terminal gets
 * every byte as it is.
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

/** `--raw`: standard output is passed on as it comes. */
export function printRaw(): void {
  raw.add(process.stdout);
}

/** Whoever reads our output may stop reading (`svc serve | head`): that is their right and no error of ours. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
