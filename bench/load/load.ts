import { join } from 'node:path';
import { output } from '../measure/program.ts';

/** What a load generator says at its end, as one line of JSON. */
export interface Answers {
  readonly answered: number;
  /** Connections that broke and answers that were not 2xx. */
  readonly failed: number;
  readonly seconds: number;
}

/** Keeps every connection busy with one GET after another for a while, from a process of its own. */
export interface Load {
  readonly description: string;
  /** `seconds` is a whole number. */
  requestsPerSecond(url: string, connections: number, seconds: number): Promise<number>;
}

/** wrk where it is installed, else a generator of our own. */
export function loadGenerator(): Load {
  const wrk = Bun.which('wrk');
  if (wrk === null) {
    const script = join(import.meta.dir, 'load-generator.ts');
    const command = (url: string, connections: number, seconds: number) => [
      process.execPath,
      script,
      url,
      `${connections}`,
      `${seconds}`,
    ];
    return {
      description: 'bench/load/load-generator.ts (wrk is not installed)',
      requestsPerSecond: runner(command),
    };
  }
  const script = join(import.meta.dir, 'wrk.lua');
  const command = (url: string, connections: number, seconds: number) => [
    ...[wrk, '--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`],
    ...['--script', script, '--header', 'Accept: application/json', url],
  ];
  return { description: 'wrk, one thread', requestsPerSecond: runner(command) };
}

type LoadCommand = (url: string, connections: number, seconds: number) => readonly string[];

function runner(command: LoadCommand): Load['requestsPerSecond'] {
  return async (url, connections, seconds) => {
    const printed = await output(command(url, connections, seconds));
    const answers = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Answers;
    if (answers.failed > 0 || answers.answered === 0) {
      throw new Error(
        `${url}: ${answers.answered} answered and ${answers.failed} failed; such a figure means nothing`,
      );
    }
    return answers.answered / answers.seconds;
  };
}
