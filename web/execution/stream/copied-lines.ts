import { grouped } from '../../design/text/grouped.ts';
import type { LineLog } from './line-log.ts';

interface CopiedLines {
  readonly text: string;
  readonly count: number;
  /** What was copied, for the person. */
  readonly summary: string;
}

/** The lines between two indexes, as far as the log has them. */
export function copiedLines(log: LineLog, wantedFrom = 0, wantedTo = log.end): CopiedLines {
  const from = Math.max(wantedFrom, log.first);
  const to = Math.max(Math.min(wantedTo, log.end), from);
  const count = to - from;
  const lines = count === 1 ? '1 line copied' : `${grouped(count)} lines copied`;
  const start = startText(log);
  const summary = from > wantedFrom && start !== undefined ? `${lines}, ${start}` : lines;
  return { text: log.plainText(from, to), count, summary };
}

/** Where a log begins that has no room for the lines before; undefined if it has, or can get, all lines. */
export function startText(log: LineLog): string | undefined {
  return log.start > 0 ? `from line ${grouped(log.numberOf(log.start))}` : undefined;
}
