import { closeSync, ftruncateSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { formFirstLine, formLine, type LineMark } from './line.ts';
import { type Header, headerJson } from './read-journal.ts';
import { type Journaled, type JournaledEnd, type JournalRecord, toJournalRecord } from './record.ts';

const COMPACT_AT_BYTES = 8 * 1024 * 1024;

export interface JournalOptions {
  readonly path: string;
  readonly header: Header;
  /** The records that an earlier process left. */
  readonly left: ReadonlyMap<string, Journaled>;
  /**
   * Gets the position of the journal before a command starts, and before and after its file is replaced. A later process trusts only a
   * journal that has the last of these positions.
   */
  readonly onPosition: (mark: LineMark) => void;
}

/**
 * The executions that this agent has begun and not finished reporting, in a file that outlives the process (decision 24,
 * states and takeover): the id before the command starts, the ending before the hub gets it.
 *
 * Lines are appended without waiting for the disk, so a killed process loses none. Each has a number and a checksum, which
 * reveal damage (decision 61, the journal proves itself).
 */
export class Journal {
  readonly #path: string;
  readonly #onPosition: (mark: LineMark) => void;
  /** The records that are still needed, by execution, as JSON. */
  readonly #records = new Map<string, string>();
  #header: Header;
  #mark: LineMark;
  #file: number;
  #bytes = 0;
  #compactAtBytes = COMPACT_AT_BYTES;
  /** A write failed half way, so the bytes after `#bytes` must be removed first. */
  #isTorn = false;

  /** Writes a new file with the records that an earlier process left. */
  constructor({ path, header, left, onPosition }: JournalOptions) {
    this.#path = path;
    this.#header = header;
    this.#mark = header.after;
    this.#onPosition = onPosition;
    for (const [id, journaled] of left) this.#records.set(id, JSON.stringify(toJournalRecord(id, journaled)));
    this.#file = this.#rewrite();
  }

  get header(): Header {
    return this.#header;
  }

  /** The last line. */
  get mark(): LineMark {
    return this.#mark;
  }

  started(id: string): void {
    this.#append(id, { started: id });
    this.#onPosition(this.#mark);
  }

  ended(id: string, end: JournaledEnd): void {
    this.#append(id, { ended: id, ...end });
  }

  forgotten(id: string): void {
    if (!this.#records.has(id)) return;
    this.#write(JSON.stringify({ forgotten: id }));
    this.#records.delete(id);
  }

  /** Makes this the journal of another instance. */
  rename(header: Omit<Header, 'after'>): void {
    this.#header = { ...header, after: this.#mark };
    this.#replaceFile();
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(id: string, record: JournalRecord): void {
    const json = JSON.stringify(record);
    this.#write(json);
    this.#records.set(id, json);
    this.#compact();
  }

  /** Throws if the disk is full; then the file is unchanged. */
  #write(json: string): void {
    if (this.#isTorn) ftruncateSync(this.#file, this.#bytes);
    const { text, mark } = formLine(this.#mark, json);
    const bytes = Buffer.from(text);
    this.#isTorn = true;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#isTorn = false;
    this.#bytes += bytes.length;
    this.#mark = mark;
  }

  /** The line is already stored, so a full disk only delays the rewrite. */
  #compact(): void {
    if (this.#bytes < this.#compactAtBytes) return;
    try {
      this.#replaceFile();
    } catch {
      // A failure only costs space.
    }
    this.#compactAtBytes = Math.max(COMPACT_AT_BYTES, 2 * this.#bytes);
  }

  #replaceFile(): void {
    // The new file has no lines of the old one, only the position of its end: both files have this position.
    this.#onPosition(this.#mark);
    const file = this.#rewrite();
    closeSync(this.#file);
    this.#file = file;
    this.#isTorn = false;
    this.#onPosition(this.#mark);
  }

  /** Replaces the file atomically: a process that is killed meanwhile leaves the old file or the new one. */
  #rewrite(): number {
    const header = { ...this.#header, after: this.#mark };
    let { text, mark } = formFirstLine(this.#mark.seq + 1, headerJson(header));
    const lines = [text];
    for (const json of this.#records.values()) {
      ({ text, mark } = formLine(mark, json));
      lines.push(text);
    }
    const whole = lines.join('');
    writeFileSync(`${this.#path}.new`, whole, { mode: 0o600 });
    // Before the rename: if no descriptor is left, the old file stays the journal.
    const file = openSync(`${this.#path}.new`, 'a');
    renameSync(`${this.#path}.new`, this.#path);
    this.#header = header;
    this.#mark = mark;
    this.#bytes = Buffer.byteLength(whole);
    return file;
  }
}
