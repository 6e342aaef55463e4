import { residentMiB, writtenBytes } from '../measure/process-use.ts';
import { median } from '../measure/statistics.ts';

/** The memory of a process when its reader had taken this many bytes. */
export interface Sample {
  readonly bytes: number;
  readonly residentMiB: number;
}

export interface Flatness {
  readonly beforeMiB: number;
  /** The median of all samples past the boundary; uncollected garbage makes single samples vary. */
  readonly usualGrowthMiB: number;
  /** The highest later value less the highest earlier value; negative when it was never that high again. */
  readonly growthMiB: number;
}

/** The first bytes pass within tenths of a second. */
const FIRST_MS = 5;
const MAX_MS = 100;

/** Looks at two processes until the reader has ended: often at first, then more and more rarely. */
export async function watchMemory(
  readerPid: number,
  { hub, agent }: { readonly hub: number; readonly agent: number },
): Promise<{ hub: Sample[]; agent: Sample[] }> {
  const samples: { hub: Sample[]; agent: Sample[] } = { hub: [], agent: [] };
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 1.1, MAX_MS)) {
    const bytes = bytesRead(readerPid);
    if (bytes === undefined) return samples;
    samples.hub.push({ bytes, residentMiB: residentMiB(hub) });
    samples.agent.push({ bytes, residentMiB: residentMiB(agent) });
    await Bun.sleep(waitMs);
  }
}

/** Compares the most until the border with the most behind it. */
export function flatness(samples: readonly Sample[], fromBytes: number): Flatness {
  const most = (samples: readonly Sample[]) => Math.max(...samples.map((sample) => sample.residentMiB));
  const before = samples.filter(({ bytes }) => bytes <= fromBytes);
  const after = samples.filter(({ bytes }) => bytes > fromBytes);
  if (before.length === 0 || after.length === 0)
    throw new Error(`no sample of memory on one side of ${fromBytes} bytes`);
  const usual = median(after.map((sample) => sample.residentMiB));
  return {
    beforeMiB: most(before),
    usualGrowthMiB: usual - most(before),
    growthMiB: most(after) - most(before),
  };
}

/** Undefined once the process has ended. */
function bytesRead(pid: number): number | undefined {
  try {
    return writtenBytes(pid);
  } catch {
    return undefined;
  }
}
