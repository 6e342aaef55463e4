/** A piece of terminal output and its time. */
export interface CastEvent {
  /** Milliseconds since the start of the recording. */
  readonly atMs: number;
  readonly text: string;
}

/** A recording of one terminal. Recordings of one session share their start. */
export interface Cast {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

interface Header {
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** The file of a recording: asciicast version 2, which asciinema plays. */
export function writeCast({ title, columns, rows, events }: Cast): string {
  const header = { version: 2, width: columns, height: rows, title };
  const lines = events.map(({ atMs, text }) => [atMs / 1000, 'o', text]);
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads what `writeCast` has written. */
export function readCast(file: string): Cast {
  const [first = '', ...rest] = file.trimEnd().split('\n');
  const { title, width, height } = JSON.parse(first) as Header;
  const events = rest.map((line) => {
    const [seconds, , text] = JSON.parse(line) as [number, string, string];
    return { atMs: Math.round(seconds * 1000), text };
  });
  return { title, columns: width, rows: height, events };
}
