import type { Transform } from '@svc/core/execution/transform/transform';
import type { TransformResult } from './runner/transform/transform-output.ts';

export type { TransformResult };

/** Transforms a sample of output as an agent does, in a process that is killed when it takes too long. */
export async function tryTransform(transform: Transform, sample: Uint8Array): Promise<TransformResult> {
  const { Transformer } = await import('./runner/transform/run-transform.ts');
  await using transformer = new Transformer({ workers: 1 });
  return await transformer.run(transform, sample);
}

/** The message of jq about a program that it cannot compile; undefined if it can. Nothing runs: there is no input. */
export async function selectProblem(program: string): Promise<string | undefined> {
  const { runJq } = await import('./runner/transform/run-jq.ts');
  const result = await runJq(program, '');
  if (result.kind !== 'failed') return undefined;
  const [reason = ''] = result.reason.split('\n');
  return reason
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(/ at <top-level>, line (\d+):$/, ' (line $1 of the program)');
}
