import type { StatementText, UnitOfWork, Value } from '../unit/statement.ts';

/** A text that the Worker does not know yet, and the number that batches use for it from now on. */
export interface NumberedText {
  readonly number: number;
  readonly text: StatementText;
}

/** A value in JSON form. For bytes: where they begin and end in the separate byte array. */
type WrittenValue = Exclude<Value, Uint8Array> | readonly [start: number, end: number];

type NumberedStatement = readonly [number: number, values: readonly WrittenValue[]];

/** Units to commit in one transaction, as the Worker reads them. */
export interface Batch {
  readonly newTexts: readonly NumberedText[];
  readonly units: readonly NumberedUnit[];
}
export type NumberedUnit = readonly (readonly [number: number, values: readonly Value[]])[];

/**
 * A batch on its way to the Worker: one text, and the bytes beside it. Cloning many small lists takes several times as long as
 * writing and parsing JSON, and cloning the bytes takes as long as everything else.
 */
export interface WrittenBatch {
  readonly json: string;
  /** All texts of the batch in sequence, each as one character; empty without texts. */
  readonly bytes: string;
  /** The rest of the log is copied into the file first, so that this commit restarts the log. */
  readonly checkpoint?: boolean;
}

/** The result of a unit: stored, refused with a tag, or failed in the database. */
export type UnitReport = true | string | { readonly failure: string };

/** A message from the Worker to the main thread, one per batch, as JSON. */
export type Report =
  | {
      readonly kind: 'committed';
      readonly units: readonly UnitReport[];
      readonly reopened: boolean;
      /** The size of the write-ahead log; not in every report. */
      readonly logPages?: number;
    }
  /** Nothing of the batch is stored. `isBusy`: the only reason is that another program has locked the file. */
  | { readonly kind: 'outside'; readonly reason: string; readonly isBusy: boolean };

/** Numbers the texts, so that each is sent to the Worker only once. */
export class BatchWriter {
  readonly #numbers = new Map<StatementText, number>();

  write(units: readonly UnitOfWork[]): WrittenBatch {
    const newTexts: NumberedText[] = [];
    const bytes = new JoinedBytes();
    const numbered = units.map((unit) =>
      unit.map(
        ({ text, values }): NumberedStatement => [
          this.#numberOf(text, newTexts),
          values.map((value) => (value instanceof Uint8Array ? bytes.add(value) : value)),
        ],
      ),
    );
    return { json: JSON.stringify({ newTexts, units: numbered }), bytes: bytes.joined() };
  }

  #numberOf(text: StatementText, newTexts: NumberedText[]): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    newTexts.push({ number, text });
    return number;
  }
}

export function readBatch({ json, bytes }: WrittenBatch): Batch {
  const { newTexts, units } = JSON.parse(json) as { newTexts: NumberedText[]; units: NumberedStatement[][] };
  const { buffer, byteOffset, length } = Buffer.from(bytes, 'latin1');
  const all = new Uint8Array(buffer, byteOffset, length);
  const read = (value: WrittenValue): Value => (isPlace(value) ? all.subarray(value[0], value[1]) : value);
  return {
    newTexts,
    units: units.map((unit) => unit.map(([number, values]) => [number, values.map(read)] as const)),
  };
}

function isPlace(value: WrittenValue): value is readonly [start: number, end: number] {
  return Array.isArray(value);
}

class JoinedBytes {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** The offsets of the bytes in the message. */
  add(part: Uint8Array): readonly [start: number, end: number] {
    const start = this.#length;
    this.#parts.push(part);
    this.#length += part.length;
    return [start, this.#length];
  }

  joined(): string {
    return this.#parts.length === 0 ? '' : Buffer.concat(this.#parts).toString('latin1');
  }
}
