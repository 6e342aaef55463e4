import { EXIT, Failure } from '../failure.ts';
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

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = new Set(['\u007f', '\b']);

/** Asks on the terminal without showing what is typed. Throws a `Failure` after Ctrl-C. */
async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question: a person who answers at once would otherwise see the typed text.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  let answer = '';
  try {
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const char of typed) {
        if (char === '\r' || char === '\n' || char === CTRL_D) return answer;
        if (char === CTRL_C) throw new Failure('nothing was changed', { exitCode: EXIT.failed });
        answer = ERASE.has(char) ? [...answer].slice(0, -1).join('') : answer + char;
      }
    }
    return answer;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
