import { LIMITS } from '../plan/limits.ts';
import type { Endpoint } from './definition.ts';

/**
 * The longest body in bytes that a call may stream to the command's stdin; undefined: the endpoint takes none (decision 73, the body
 * as standard input).
 *
 * @param planBytes what the plan allows
 */
export function stdinLimit(
  { stdin, maxStdinBytes = LIMITS.defaultStdinBytes }: Pick<Endpoint, 'stdin' | 'maxStdinBytes'>,
  planBytes: number = LIMITS.maxStdinBytes,
): number | undefined {
  return stdin === undefined ? undefined : Math.min(maxStdinBytes, planBytes);
}
