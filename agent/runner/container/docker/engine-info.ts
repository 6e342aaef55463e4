import { readFileSync } from 'node:fs';
import { EngineError } from '../engine.ts';
import type { DockerApi } from './api/docker-api.ts';

/** What an engine says of itself and of the machine (Docker Engine API, "system information"). */
export interface EngineInfo {
  readonly ServerVersion?: string;
  readonly OSType?: string;
  readonly CgroupDriver?: string;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
  readonly SecurityOptions?: readonly string[] | null;
}

/** Rejects with an {@link EngineError} where the engine says itself that it would not enforce a limit. */
export async function checkedInfo(api: DockerApi): Promise<EngineInfo> {
  const info = (await api.ask('GET', '/info')) as EngineInfo;
  const problems = engineProblems(info, swapBytes());
  if (problems.length === 0) return info;
  throw new EngineError(`Docker would not enforce what containers promise: ${problems.join('; ')}`);
}

/**
 * What an engine knows that it will not enforce, in words for the operator; it makes containers all the same, with a warning
 * at most. What it does not know is found where every limit is tried.
 */
export function engineProblems(info: EngineInfo, swapBytes: number): string[] {
  const filters = info.SecurityOptions?.some((option) => option.startsWith('name=seccomp')) === true;
  return [
    ...unless(info.OSType === 'linux', `its containers are for ${info.OSType}`),
    ...unless(info.MemoryLimit === true, 'it cannot limit memory'),
    ...unless(info.SwapLimit === true || swapBytes === 0, 'it cannot keep containers from swapping'),
    ...unless(info.CpuCfsQuota === true, 'it cannot limit processors'),
    ...unless(info.PidsLimit === true, 'it cannot limit processes'),
    ...unless(filters, 'it cannot filter system calls'),
  ];
}

function unless(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem];
}

function swapBytes(): number {
  const [, kibibytes = '0'] = /^SwapTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}
