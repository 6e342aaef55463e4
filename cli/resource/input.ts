import { readFileSync, statSync } from 'node:fs';
import { LIMITS } from '@svc/core/plan/limits';
import { Failure } from '../failure.ts';

/** Reads `@file`, or `-` for standard input. Undefined: the text is neither. */
export function readGiven(text: string): string | undefined {
  if (text === '-') return readStandardInput();
  return text.startsWith('@') ? readTextFile(text.slice(1)) : undefined;
}

/** Reads a file or standard input for a value that may not stand on the command line, where other users can read it. */
export function readHidden(what: string, text: string): string {
  const value = readGiven(text);
  if (value !== undefined) return value;
  throw new Failure(`${what} cannot be given on the command line, which other users can read`, {
    tip: 'use @file, or - for standard input',
  });
}

export function readTextFile(path: string): string {
  return decode(path, () => readFileSync(path));
}

/** The text of a file that can be a value of a call; undefined: it is too long, or no text. Throws for a file that cannot be read. */
export function textOfFile(path: string): string | undefined {
  try {
    if (statSync(path).size > LIMITS.valueBytes) return undefined;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_') === true) return undefined;
    return decode(path, () => {
      throw error;
    });
  }
}

let hasReadInput = false;

/** The text of standard input, which can be read only once. */
export function readStandardInput(): string {
  if (hasReadInput) throw new Failure('standard input can be used for one value only');
  hasReadInput = true;
  return decode('standard input', () => readFileSync(0));
}

function decode(what: string, read: () => Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read());
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Failure(`${what} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}`);
  }
}
