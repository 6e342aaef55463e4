import { readFileSync } from 'node:fs';
import { BEFORE_ALL, type LineMark, looksWhole, parseJournalLine } from './line.ts';
import { applyRecord, isUuid, type Journaled, readRecord } from './record.ts';

/** Why an instance replaced another one. */
export interface Renewal {
  /** The instance whose journal is not trusted; absent if its id is unknown. */
  readonly replaces?: string;
  readonly atMs: number;
  readonly reason: string;
}

/** The first line, which names the owner of the journal. */
export interface Header {
  readonly instance: string;
  /** The boot id of the machine at the time of writing. */
  readonly boot: string;
  /** The last line of the file that this one replaced. */
  readonly after: LineMark;
  readonly renewed?: Renewal;
}

/** A journal in which every line is valid, except for a last one that may be torn. */
export interface SoundJournal {
  readonly kind: 'sound';
  readonly header: Header;
  readonly left: ReadonlyMap<string, Journaled>;
  readonly last: LineMark;
  /** All marks of the file by number, with the last one of the previous file. */
  readonly sums: ReadonlyMap<number, number>;
  /** The file ends with a torn line. */
  readonly isTorn: boolean;
}

export type ReadJournal =
  | SoundJournal
  /** Written by a version before checksums. */
  | { readonly kind: 'legacy'; readonly left: ReadonlyMap<string, Journaled> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string; readonly header?: Header };

/** Reads the journal in `path` without claiming it. */
export function readJournalFile(path: string): ReadJournal {
  const text = readText(path);
  if (text === undefined) return { kind: 'missing' };
  return readJournalText(text);
}

/** Parses the text of a journal. A damaged line followed by a whole one is damage; the last line may be torn. */
export function readJournalText(text: string): ReadJournal {
  if (isLegacy(text)) return readLegacy(text);
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const first = parseJournalLine(lines[0] ?? '', undefined);
  const header = first && readHeader(first.value);
  if (first === undefined || header === undefined) return damaged('its first line is damaged');
  const left = new Map<string, Journaled>();
  const sums = new Map([
    [header.after.seq, header.after.sum],
    [first.mark.seq, first.mark.sum],
  ]);
  let last = first.mark;
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const read = parseJournalLine(line, last);
    const record = read && readRecord(read.value);
    if (read === undefined || record === undefined) {
      if ([...lines.slice(index + 1), rest].some(looksWhole))
        return damaged(`line ${index + 1} is damaged`, header);
      return { kind: 'sound', header, left, last, sums, isTorn: true };
    }
    applyRecord(left, record);
    last = read.mark;
    sums.set(last.seq, last.sum);
  }
  return { kind: 'sound', header, left, last, sums, isTorn: rest !== '' };
}

/** Earlier versions wrote only JSON, and an empty file if there was nothing to report. */
function isLegacy(text: string): boolean {
  return text === '' || text.startsWith('{"');
}

function readLegacy(text: string): ReadJournal {
  const left = new Map<string, Journaled>();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const record = readRecord(parsed(line));
    if (record !== undefined) applyRecord(left, record);
    else if (index < lines.length - 1) return damaged(`line ${index + 1} is damaged`);
  }
  return { kind: 'legacy', left };
}

export function headerJson({ instance, boot, after, renewed }: Header): string {
  return JSON.stringify({ instance, boot, after: [after.seq, after.sum], renewed });
}

function readHeader(value: unknown): Header | undefined {
  const { instance, boot, after, renewed } = value as Record<string, unknown>;
  if (!isUuid(instance) || typeof boot !== 'string' || !Array.isArray(after)) return undefined;
  const [seq = BEFORE_ALL.seq, sum = BEFORE_ALL.sum] = after as number[];
  const header = { instance, boot, after: { seq, sum } };
  return renewed === undefined ? header : { ...header, renewed: renewed as Renewal };
}

function damaged(reason: string, header?: Header): ReadJournal {
  return header === undefined ? { kind: 'damaged', reason } : { kind: 'damaged', reason, header };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
