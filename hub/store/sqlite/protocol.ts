import type { StatementText, Unit, Value } from '../unit/statement.ts';

/** A text that the Worker does not know yet, and the number by which the batches name it from now on. */
export interface NumberedText {
  readonly number: number;
  readonly text: StatementText;
}

export type NumberedStatement = readonly [number: number, values: readonly Value[]];

/** From the main thread to the Worker that writes: units to commit in one transaction. */
export interface Batch {
  readonly newTexts: readonly NumberedText[];
  readonly units: readonly (readonly NumberedStatement[])[];
}

/** What became of a unit: stored, refused with a tag, or not understood by the database. */
export type UnitReport = true | string | { readonly failure: string };

/** From the Worker to the main thread, one for each batch. */
export type Report =
  | { readonly kind: 'committed'; readonly units: readonly UnitReport[]; readonly reopened: boolean }
  /** Nothing of the batch is stored; `isBusy`: only because another program has locked the file. */
  | { readonly kind: 'outside'; readonly reason: string; readonly isBusy: boolean };

/** Numbers the texts, so that each crosses to the Worker once. */
export class TextNumbers {
  readonly #numbers = new Map<StatementText, number>();

  batchOf(units: readonly Unit[]): Batch {
    const newTexts: NumberedText[] = [];
    const numbered = units.map((unit) =>
      unit.map(({ text, values }): NumberedStatement => [this.#numberOf(text, newTexts), values]),
    );
    return { newTexts, units: numbered };
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
