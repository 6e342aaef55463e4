import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { type AgentFrameOf, decodeAgentFrame } from '@svc/core/protocol/frame';

/** How an execution ended, and what of its output the hub has not acknowledged. */
export interface JournaledEnd {
  readonly frame: AgentFrameOf<'ended'>;
  /** Output frames in base64; undefined when they are in the execution's own file. */
  readonly output: readonly string[] | undefined;
}

/** One line of the journal. */
type JournalRecord =
  | { readonly started: string }
  | ({ readonly ended: string } & JournaledEnd)
  | { readonly forgotten: string };

/** What the journal says of an execution: that it was about to start, or how it ended. */
export type Journaled = { readonly kind: 'started' } | ({ readonly kind: 'ended' } & JournaledEnd);

const COMPACT_AT_BYTES = 8 * 1024 * 1024;

/**
 * What this agent has begun and not finished telling, in a file that outlives the process (decision 24): the id before
 * its command starts, its end before the hub hears of it.
 *
 * Lines are appended without waiting for the disk: a killed process loses nothing of them, and when the machine goes
 * down the boot id tells the hub not to trust the journal.
 */
export class Journal {
  readonly #path: string;
  /** The lines that still matter, by execution. */
  readonly #lines = new Map<string, string>();
  #file: number;
  #bytes = 0;
  #compactAtBytes = COMPACT_AT_BYTES;
  #isTorn = false;

  /** Opens the journal in `path` and reads what an earlier process left; a line that was torn is passed over. */
  static open(path: string): { journal: Journal; left: ReadonlyMap<string, Journaled> } {
    const left = readJournal(path);
    return { journal: new Journal(path, left), left };
  }

  private constructor(path: string, left: ReadonlyMap<string, Journaled>) {
    this.#path = path;
    for (const [id, journaled] of left) this.#lines.set(id, lineOf(recordOf(id, journaled)));
    this.#file = this.#rewrite();
  }

  started(id: string): void {
    this.#append(id, { started: id });
  }

  ended(id: string, end: JournaledEnd): void {
    this.#append(id, { ended: id, ...end });
  }

  forgotten(id: string): void {
    if (!this.#lines.has(id)) return;
    this.#write(lineOf({ forgotten: id }));
    this.#lines.delete(id);
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(id: string, record: JournalRecord): void {
    const line = lineOf(record);
    this.#write(line);
    this.#lines.set(id, line);
    this.#compact();
  }

  /** Throws when the disk takes no more; then the next line begins on a line of its own. */
  #write(line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    this.#isTorn = true;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#isTorn = false;
    this.#bytes += bytes.length;
  }

  /** The line is safe already, so a disk that has no room for this only means that it is tried again later. */
  #compact(): void {
    if (this.#bytes < this.#compactAtBytes) return;
    try {
      const file = this.#rewrite();
      closeSync(this.#file);
      this.#file = file;
    } catch {
      // Nothing is lost but space.
    }
    this.#compactAtBytes = Math.max(COMPACT_AT_BYTES, 2 * this.#bytes);
  }

  /** In one step: a process that is killed meanwhile leaves the old file or the new one. */
  #rewrite(): number {
    const text = [...this.#lines.values()].join('');
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    this.#bytes = Buffer.byteLength(text);
    return openSync(this.#path, 'a');
  }
}

function recordOf(id: string, journaled: Journaled): JournalRecord {
  if (journaled.kind === 'started') return { started: id };
  return { ended: id, frame: journaled.frame, output: journaled.output };
}

function lineOf(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** What the journal in `path` says, without taking it over. */
export function readJournal(path: string): Map<string, Journaled> {
  const journaled = new Map<string, Journaled>();
  for (const line of readText(path).split('\n')) {
    const record = readRecord(line);
    if (record === undefined) continue;
    if ('started' in record) journaled.set(record.started, { kind: 'started' });
    else if ('forgotten' in record) journaled.delete(record.forgotten);
    else journaled.set(record.ended, { kind: 'ended', frame: record.frame, output: record.output });
  }
  return journaled;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The record of a line; undefined for what a crash left of one. */
function readRecord(line: string): JournalRecord | undefined {
  try {
    const record = JSON.parse(line) as Partial<Record<'started' | 'ended' | 'forgotten', unknown>> &
      Partial<JournaledEnd>;
    if (typeof record.started === 'string') return { started: record.started };
    if (typeof record.forgotten === 'string') return { forgotten: record.forgotten };
    if (typeof record.ended !== 'string') return undefined;
    const decoded = decodeAgentFrame(JSON.stringify(record.frame));
    if (decoded.kind === 'refused' || decoded.frame.type !== 'ended') return undefined;
    return { ended: record.ended, frame: decoded.frame, output: record.output };
  } catch {
    return undefined;
  }
}
