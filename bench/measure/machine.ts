import { cpus, release, totalmem } from 'node:os';

/** What a reader needs in order to weigh the figures; nothing that names the machine or its folders. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly kernel: string;
  readonly memoryGiB: number;
  readonly bun: string;
}

export function machineFacts(): Machine {
  const cores = cpus();
  return {
    cores: cores.length,
    processor: cores[0]?.model ?? 'unknown',
    kernel: release(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    bun: Bun.version,
  };
}
