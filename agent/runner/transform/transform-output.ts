import { resultProblem } from '@svc/core/endpoint/value/json-schema';
import { cutLines } from '@svc/core/execution/transform/cut-lines';
import { type Parsed, parseOutput } from '@svc/core/execution/transform/parse-output';
import type { Transform } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import { runJc } from './run-jc.ts';
import { runJq } from './run-jq.ts';

/** `json` is one line; `reason` is for people. */
export type TransformResult =
  | { readonly kind: 'data'; readonly json: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** A job of a worker process. */
export interface TransformJob {
  readonly transform: Transform;
  readonly stdout: Uint8Array;
}

/**
 * Parses, selects and checks the result (decision 27, the transformer). It can take any time and memory, so only a worker process calls it.
 *
 * One output value of `select` is the result; no value gives null, several give an array.
 */
export async function transformOutput(transform: Transform, stdout: Uint8Array): Promise<TransformResult> {
  const parsed = await parse(transform, new TextDecoder().decode(stdout));
  if (parsed.kind === 'failed') return parsed;
  const result =
    transform.select === undefined ? data(parsed.json) : await select(transform.select, parsed.json);
  if (result.kind === 'failed') return result;
  if (isTooLong(result.json)) return failed(TOO_LONG);
  const problem = transform.schema && resultProblem(transform.schema, JSON.parse(result.json));
  return problem === undefined ? result : failed(problem);
}

async function parse(transform: Transform, text: string): Promise<Parsed> {
  if (transform.parse !== 'jc') return parseOutput(transform, text);
  const read = await runJc(transform.parser ?? '', cutLines(text, transform));
  return read.kind === 'failed' ? read : parseOutput({ parse: 'jc' }, read.text);
}

async function select(program: string, json: string): Promise<TransformResult> {
  if (new TextEncoder().encode(program).length > LIMITS.selectBytes) return failed(PROGRAM_TOO_LONG);
  const result = await runJq(program, json);
  if (result.kind === 'failed') return failed(`select: ${result.reason}`);
  const [first = 'null', ...more] = result.outputs;
  return data(more.length === 0 ? first : `[${result.outputs.join(',')}]`);
}

const data = (json: string): TransformResult => ({ kind: 'data', json });
const failed = (reason: string): TransformResult => ({ kind: 'failed', reason });

const TOO_LONG = `the result is longer than ${LIMITS.transformResultBytes / 1024 ** 2} MiB`;
const PROGRAM_TOO_LONG = `select: the program is longer than ${LIMITS.selectBytes / 1024} KiB`;

function isTooLong(json: string): boolean {
  return (
    json.length > LIMITS.transformResultBytes ||
    new TextEncoder().encode(json).length > LIMITS.transformResultBytes
  );
}
