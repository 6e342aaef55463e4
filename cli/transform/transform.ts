import { readFile } from 'node:fs/promises';
import { readConfig } from '@svc/agent/config-source';
import { selectProblem, tryTransform } from '@svc/agent/try-transform';
import { checkDefinition } from '@svc/core/config/definition/check-definition';
import type { Transform } from '@svc/core/execution/transform/transform';
import { requireConfig } from '../config.ts';
import { EXIT, Failure } from '../failure.ts';

/** The options of `svc transform`, by their names in a config file. */
export interface TransformOptions {
  readonly parse?: string;
  readonly pattern?: string;
  readonly parser?: string;
  readonly columns?: string;
  readonly header?: boolean;
  readonly delimiter?: string;
  readonly skip?: string;
  readonly until?: string;
  readonly select?: string;
  readonly endpoint?: string;
  readonly config: string;
}

/** `svc transform`: prints the result of a transform for a sample. */
export async function transform(file: string, options: TransformOptions): Promise<void> {
  const wanted = options.endpoint === undefined ? givenTransform(options) : namedTransform(options);
  const problem = wanted.select === undefined ? undefined : await selectProblem(wanted.select);
  if (problem !== undefined) throw new Failure(`transform.select: ${problem}`);
  const result = await tryTransform(wanted, await readSample(file));
  if (result.kind === 'failed') throw new Failure(result.reason, { exitCode: EXIT.failed });
  process.stdout.write(`${result.json}\n`);
}

function givenTransform({ endpoint: _, config: __, columns, skip, ...options }: TransformOptions): Transform {
  if (options.parse === undefined) throw new Failure('--parse or --endpoint expected');
  const keys = [
    'parse',
    'pattern',
    'parser',
    'header',
    'delimiter',
    'until',
    'select',
  ] as const satisfies readonly (keyof typeof options)[];
  const definition = {
    ...Object.fromEntries(keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))),
    ...(columns === undefined ? {} : { columns: columns.split(',') }),
    ...(skip === undefined ? {} : { skip: Number(skip) }),
  };
  const checked = checkDefinition({ name: 'sample', command: 'true', transform: definition });
  if (checked.kind === 'endpoint' && checked.endpoint.transform !== undefined)
    return checked.endpoint.transform;
  const messages = checked.kind === 'endpoint' ? [] : checked.issues.map(({ message }) => message);
  throw new Failure('no endpoint may have this transform', { details: messages });
}

function namedTransform({ endpoint: name, config: path, parse }: TransformOptions): Transform {
  if (parse !== undefined) throw new Failure('--parse or --endpoint expected, not both');
  const { config } = requireConfig(readConfig(path), path);
  const endpoint = config.endpoints.find((one) => one.slug === name);
  if (endpoint === undefined) throw new Failure(`${path} has no endpoint "${name}"`);
  if (endpoint.transform === undefined) throw new Failure(`endpoint "${name}" has no transform`);
  return endpoint.transform;
}

async function readSample(file: string): Promise<Uint8Array> {
  try {
    return await (file === '-' ? Bun.stdin.bytes() : readFile(file));
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`);
  }
}
