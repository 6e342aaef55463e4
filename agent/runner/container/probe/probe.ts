import type { Runner } from '../../runner.ts';
import { EngineError } from '../engine.ts';
import script from './facts.py' with { type: 'text' };
import { type Facts, judgeFacts } from './judge-facts.ts';
import { outputOf } from './output-of.ts';

const VCPUS = 0.5;
/** Enough for 300 processes of Python, in case that nothing stops them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

/**
 * Tries every rule and limit in a real container, on the way that executions take. Rejects with an {@link EngineError} that
 * says which ones this machine does not enforce, for some engines only warn (decision 49).
 */
export async function probe(runner: Runner): Promise<void> {
  const problems = judgeFacts(await factsOf(runner), VCPUS);
  if (problems.length === 0) return;
  throw new EngineError(`this machine does not enforce what containers promise: ${problems.join('; ')}`);
}

async function factsOf(runner: Runner): Promise<Facts> {
  const argv = ['python3', '-c', script, String(MEMORY_BYTES)] as const;
  const limits = { vcpus: VCPUS, memoryBytes: MEMORY_BYTES, network: false, runId: undefined };
  return JSON.parse(await outputOf(runner, argv, limits)) as Facts;
}
