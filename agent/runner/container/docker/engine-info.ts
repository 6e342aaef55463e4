import { readFileSync } from 'node:fs';
import { EngineError } from '../engine.ts';
import type { DockerApi } from './api/docker-api.ts';

/** What an engine reports about itself and the machine (Docker Engine API, "system information"). */
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

/** Rejects with an {@link EngineError} if the engine reports that it would not enforce a limit. */
export async function checkedInfo(api: DockerApi): Promise<EngineInfo> {
  const info = (await api.ask('GET', '/info')) as EngineInfo;
  const problems = engineProblems(info, swapBytes());
  if (problems.length === 0) return info;
  throw new EngineError(`Docker would not enforce what containers promise: ${problems.join('; ')}`);
}

/**
 * The limits that an engine reports it will not enforce, in words for the operator. The engine would create containers all
 * the same, at most with a warning. The probe finds limits that the engine does not report.
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
