import { createInterface } from 'node:readline';
import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import { writeStarter } from './init.ts';

/** Reads the config file. Without one, a person at the terminal is offered the starter file first. */
export async function readConfigOrOffer(path: string): Promise<ConfigSource> {
  const source = readConfig(path, []);
  const isMissing = source.kind === 'unreadable' && source.reason === 'missing';
  if (!isMissing || !process.stdin.isTTY || !process.stdout.isTTY) return source;
  const question = `There is no ${path}. Write a starter file with sample endpoints? [Y/n] `;
  if (!/^(?:y(?:es)?)?$/i.test((await ask(question)).trim())) return source;
  writeStarter(path);
  return readConfig(path, []);
}

/** The line that the person types; "no" at the end of the input. */
function ask(question: string): Promise<string> {
  process.stdout.write(question);
  // NOTE: without `terminal` the system edits the line, and Ctrl-C ends the program as anywhere else.
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve('no'));
  });
}
