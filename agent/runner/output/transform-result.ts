import type { Transform } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import type { Transformed } from '../runner.ts';

/** Turns stdout into data. `json` is one line. */
export interface Transforms {
  run(
    transform: Transform,
    stdout: Uint8Array,
  ): Promise<
    { readonly kind: 'data'; readonly json: string } | { readonly kind: 'failed'; readonly reason: string }
  >;
}

/** The transform result of a command that exited with 0 (decision 27, the transformer). */
export async function transformResult(
  transforms: Transforms,
  transform: Transform,
  stdout: Uint8Array | undefined,
): Promise<Transformed> {
  const result = stdout === undefined ? TOO_LONG : await transforms.run(transform, stdout);
  if (result.kind === 'data' || transform.onError === 'fail') return result;
  return { kind: 'skipped', reason: result.reason };
}

const TOO_LONG = {
  kind: 'failed',
  reason: `stdout is longer than the ${LIMITS.transformInputBytes} bytes that a transform takes`,
} as const;
