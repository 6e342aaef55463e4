import { EXIT, Failure } from '../failure.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = new Set(['\u007f', '\b']);

/** Asks on the terminal without showing what is typed. Throws a `Failure` after Ctrl-C. */
export async function askHidden(question: string): Promise<string> {
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
