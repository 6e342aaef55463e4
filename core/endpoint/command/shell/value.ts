import type { FoundValue } from '../find-value.ts';
import type { Piece } from '../program.ts';
import type { Reader } from './reader.ts';
import type { Quote, RefusedPlace, ValueUse } from './script.ts';

/** Moves past a value in a word and notes it. */
export function readValue(reader: Reader, found: FoundValue, quote: Quote): Piece {
  const before = reader.text.charAt(reader.at - 1);
  if (reader.refusedPlace !== undefined) refuseValue(reader, found, reader.refusedPlace);
  else if (before === '\\') refuseValue(reader, found, 'backslash');
  else if (before === '$') refuseValue(reader, found, 'dollar');
  else reader.values.push(useHere(reader, found, quote));
  reader.at += found.length;
  return { kind: found.kind, name: found.name };
}

/** Notes a value where none may stand; the reader stays. */
export function refuseValue(reader: Reader, found: FoundValue, place: RefusedPlace): void {
  const use = useHere(reader, found, 'bare');
  reader.values.push(use);
  reader.refused.push({ use, place });
}

function useHere(reader: Reader, found: FoundValue, quote: Quote): ValueUse {
  return { kind: found.kind, name: found.name, quote, start: reader.at, end: reader.at + found.length };
}
