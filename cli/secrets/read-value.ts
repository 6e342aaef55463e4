import { askHidden } from '../resource/ask-hidden.ts';
import { readHidden, readStandardInput } from '../resource/input.ts';

/**
 * Reads the value of a secret from `@file`, from `-` for standard input, or from the terminal. Without a terminal, standard input
 * is read. One line break at the end of standard input is removed, because `echo` adds one.
 */
export async function readSecretValue(secret: string, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== '-') return readHidden('the value of a secret', given);
  if (given === undefined && process.stdin.isTTY) return await askHidden(`value of ${secret}: `);
  return readStandardInput().replace(/\r?\n$/, '');
}
