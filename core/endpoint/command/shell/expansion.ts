import { matchHere, notUnderstood, peek, type Reader, startsWith, take, valueHere } from './reader.ts';
import type { Quote } from './script.ts';

const NAMED = /\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\})/y;
/** `${#x}` is a number, whatever x holds. */
const LENGTH = /\$\{#[A-Za-z_][A-Za-z0-9_]*\}/y;
/** The operand of `${x:-operand}` is plain text: no quote, no expansion, nothing that shells read in different ways. */
const OPERATED = /\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+)(?::?[-+?]|%%?|##?)[A-Za-z0-9 ./:,*?@_+-]*\}/y;
const ARITHMETIC = /\$\(\(((?:[A-Za-z0-9_ +*/%-]|\([A-Za-z0-9_ +*/%-]*\))*)\)\)/y;
const MAX_SUBSTITUTIONS = 50;

/** Reads the expansion that begins with the `$` here. Returns false when the `$` stands for itself. */
export function readExpansion(reader: Reader, quote: Quote): boolean {
  const start = reader.at;
  if (valueHere(reader, 1) !== undefined) return false;
  const named = matchHere(reader, NAMED) ?? matchHere(reader, OPERATED);
  if (named !== undefined) {
    reader.at += named[0].length;
    reader.references.push({ name: named[1] ?? named[2] ?? '', start, end: reader.at, evaluated: false });
    return true;
  }
  if (startsWith(reader, '$((')) return readArithmetic(reader);
  if (startsWith(reader, '$(')) return readSubstitution(reader);
  const length = matchHere(reader, LENGTH)?.[0].length;
  const next = peek(reader, 1);
  const isDialect = next === '[' || (quote === 'bare' && (next === "'" || next === '"'));
  if (isDialect || (next === '{' && length === undefined)) {
    reader.at += 2;
    const message = `values can stand beside $x, \${x}, \${x:-word}, $( ) and $(( )), but not beside $${next}`;
    throw notUnderstood(reader, start, message);
  }
  reader.at += length ?? 0;
  return length !== undefined;
}

function readArithmetic(reader: Reader): true {
  const start = reader.at;
  const match = matchHere(reader, ARITHMETIC);
  if (match === undefined)
    throw notUnderstood(reader, start, 'values can stand beside $(( )) only if it holds numbers and names');
  reader.at += match[0].length;
  for (const [name] of (match[1] ?? '').matchAll(/[A-Za-z_][A-Za-z0-9_]*/g))
    reader.references.push({ name, start, end: reader.at, evaluated: true });
  return true;
}

function readSubstitution(reader: Reader): true {
  const start = reader.at;
  reader.at += 2;
  reader.substitutions += 1;
  if (reader.substitutions > MAX_SUBSTITUTIONS)
    throw notUnderstood(reader, start, `this is nested more than ${MAX_SUBSTITUTIONS} deep`);
  reader.readCommands(reader);
  reader.substitutions -= 1;
  if (!take(reader, ')')) throw notUnderstood(reader, start, 'this $( is never closed by a )');
  return true;
}
