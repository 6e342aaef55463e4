import type { Cast } from './cast.ts';

/** Text that a terminal shows at one place from one moment on. */
export interface Run {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  /** `label`, or `error` for a label in red; undefined: plain. */
  readonly tone: Tone | undefined;
  readonly atMs: number;
}

type Tone = 'label' | 'warning' | 'error';

/** The colours of labels (`cli/terminal.ts`). */
const TONES: Readonly<Record<string, Tone | undefined>> = {
  '0': undefined,
  '31': 'error',
  '33': 'warning',
  '36': 'label',
};

/** A line end, the colour of what follows, or text. */
const PART = /\r\n|\x1b\[(?<colour>\d*)m|(?<text>[^\x00-\x1f\x7f]+)/y;

/**
 * The text of a recording by its place on the screen. Throws if the terminal does more than write lines, or scrolls, because the
 * picture shows neither.
 */
export function runsOf({ title, columns, rows, events }: Cast): readonly Run[] {
  const runs: Run[] = [];
  let [row, column, tone]: [number, number, Tone | undefined] = [0, 0, undefined];
  for (const { atMs, text } of events)
    for (const { ending, colour, word } of partsOf(text)) {
      if (ending) [row, column] = [row + 1, 0];
      else if (word === undefined) tone = TONES[colour ?? '0'];
      else
        for (let rest = word; rest !== ''; ) {
          if (column === columns) [row, column] = [row + 1, 0];
          const piece = rest.slice(0, columns - column);
          runs.push({ row, column, text: piece, tone, atMs });
          column += piece.length;
          rest = rest.slice(piece.length);
        }
      if (row >= rows) throw new Error(`${title}: more than ${rows} rows`);
    }
  return runs;
}

/** What a terminal shows in the end, without colours. */
export function screenText(cast: Cast): string {
  const lines: string[] = [];
  for (const { row, text } of runsOf(cast)) {
    while (lines.length <= row) lines.push('');
    lines[row] += text;
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function* partsOf(text: string) {
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const at = PART.lastIndex;
    const found = PART.exec(text);
    if (found === null) throw new Error(`no picture shows ${JSON.stringify(text.slice(at, at + 20))}`);
    const { colour, text: word } = found.groups ?? {};
    yield { ending: found[0] === '\r\n', colour, word };
  }
}
