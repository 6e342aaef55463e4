import { join } from 'node:path';
import { output } from '../measure/program.ts';

/** The result of a load generator, as one line of JSON. */
export interface Answers {
  readonly answered: number;
  /** Connections that broke and answers that were not 2xx. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
}

export interface Request {
  readonly url: string;
  /** Besides `Accept: application/json`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keeps every connection busy with one GET after another for a while, from a process of its own. */
export interface Load {
  readonly description: string;
  /** `seconds` is a whole number. Answers that failed are an error: a figure of them means nothing. */
  keepAsking(request: Request, connections: number, seconds: number): Promise<Answers>;
}

/** wrk where it is installed, else a generator of our own. */
export function loadGenerator(): Load {
  const wrk = Bun.which('wrk');
  return wrk === null
    ? {
        description: 'bench/load/load-generator.ts (wrk is not installed)',
        keepAsking: runner(ownGenerator),
      }
    : { description: 'wrk, one thread', keepAsking: runner(wrkCommand(wrk)) };
}

export function perSecond({ answered, seconds }: Answers): number {
  return answered / seconds;
}

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

type LoadCommand = (asked: Asked) => readonly string[];

function ownGenerator({ url, headers, connections, seconds }: Asked): readonly string[] {
  const script = join(import.meta.dir, 'load-generator.ts');
  return [process.execPath, script, url, `${connections}`, `${seconds}`, JSON.stringify(headers)];
}

function wrkCommand(wrk: string): LoadCommand {
  const script = join(import.meta.dir, 'wrk.lua');
  return ({ url, headers, connections, seconds }) => [
    ...[wrk, '--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...['--script', script, url],
  ];
}

function runner(command: LoadCommand): Load['keepAsking'] {
  return async ({ url, headers }, connections, seconds) => {
    const asked = { url, headers: { accept: 'application/json', ...headers }, connections, seconds };
    const printed = await output(command(asked));
    const answers = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Answers;
    if (answers.failed > 0 || answers.answered === 0)
      throw new Error(`${url}: ${answers.answered} answered and ${answers.failed} failed`);
    return answers;
  };
}
