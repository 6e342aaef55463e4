import type { Runner } from '../../runner.ts';
import { EngineError } from '../engine.ts';
import { checkFacts, type Facts } from './check-facts.ts';
import script from './facts.py' with { type: 'text' };
import { outputOf } from './output-of.ts';

const VCPUS = 0.5;
/** Enough for 300 Python processes, in case no limit stops them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

/**
 * Tests every rule and limit in a real container, by the path of executions. Rejects with an {@link EngineError} that names
 * the rules that this machine does not enforce, because some engines only warn (decision 49, the hosted runner).
 */
export async function probe(runner: Runner): Promise<void> {
  const problems = checkFacts(await factsOf(runner), VCPUS);
  if (problems.length === 0) return;
  throw new EngineError(`this machine does not enforce what containers promise: ${problems.join('; ')}`);
}

async function factsOf(runner: Runner): Promise<Facts> {
  const argv = ['python3', '-c', script, String(MEMORY_BYTES)] as const;
  const limits = { vcpus: VCPUS, memoryBytes: MEMORY_BYTES, network: false, runId: undefined };
  return JSON.parse(await outputOf(runner, argv, limits)) as Facts;
}
