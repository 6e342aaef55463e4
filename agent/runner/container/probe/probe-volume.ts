import type { HostedRunner } from '../../runner.ts';
import { EngineError } from '../engine.ts';
import { outputOf } from './output-of.ts';

const LIMITS = { vcpus: 0.5, memoryBytes: 128 * 1024 * 1024, network: false } as const;
/** Leaves a file in the workspace, or prints the capacity of the workspace in bytes. */
const LEAVE = ['python3', '-c', "open('/workspace/left', 'w').close()"] as const;
const MEASURE = [
  'python3',
  '-c',
  "import os; os.stat('/workspace/left'); of = os.statvfs('/workspace'); print(of.f_blocks * of.f_frsize)",
] as const;

/**
 * Tests the workspace that the steps of a pipeline run share: the second step finds the file of the first, and the size is
 * limited. Rejects with an {@link EngineError} that names the broken rule, for instance without loop devices.
 */
export async function probeVolume(runner: HostedRunner, mostBytes: number): Promise<void> {
  const runId = crypto.randomUUID();
  try {
    await outputOf(runner, LEAVE, { ...LIMITS, runId });
    const bytes = Number(await outputOf(runner, MEASURE, { ...LIMITS, runId }));
    if (bytes <= mostBytes) return;
  } finally {
    await runner.endRun(runId);
  }
  throw new EngineError(
    `this machine does not enforce what containers promise: the workspace of a pipeline run has no limit of ${mostBytes} bytes`,
  );
}
