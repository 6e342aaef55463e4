import { join } from 'node:path';
import { type Comparison, compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import { output } from '../measure/program.ts';
import type { Section } from '../measure/report.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub } from '../peers/hub.ts';
import { expectAnswer } from '../peers/server.ts';
import { NO_BINARY, svcBinary } from '../peers/svc.ts';
import type { Means } from './means.ts';

const AGAIN = '`svc hub` on an existing store, start to answered /health';
const FIRST = '`svc hub` for the first time, start to answered /health';
const NODE = '`node -e 0`, the whole process';
const ROUNDS_FOR_EACH = 2;

/** From nothing to the first answer of a hub, against the least that a program in Node can take. */
export async function measureHubStart({ size }: Means): Promise<Section[]> {
  const binary = svcBinary();
  const node = Bun.which('node');
  const shown = { title: 'Start of the binary', unit: 'ms' };
  if (binary === undefined || node === null) {
    const reason = binary ? 'node is not installed' : NO_BINARY;
    return [{ ...shown, comparisons: [], notMeasured: [`start-up against node: ${reason}`], turns: [] }];
  }
  await using folder = await temporaryFolder();
  const started = (folderOf: () => string) => async () => [await untilAnswered([binary], folderOf())];
  let first = 0;
  const contestants: Contestant[] = [
    { name: AGAIN, measure: started(() => join(folder.path, 'again')) },
    { name: FIRST, measure: started(() => join(folder.path, `first-${first++}`)) },
    { name: NODE, measure: async () => [await took(() => output([node, '-e', '0']))] },
  ];
  const comparisons: Comparison[] = [
    { subject: AGAIN, against: NODE, goal: { atMost: 4 } },
    { subject: FIRST, against: NODE },
  ];
  const turns = await interleave(contestants, size.rounds * ROUNDS_FOR_EACH);
  return [{ ...shown, comparisons: comparisons.map((one) => compare(one, turns)), notMeasured: [], turns }];
}

async function untilAnswered(program: readonly string[], dataDir: string): Promise<number> {
  const began = performance.now();
  await using hub = await startHub({ dataDir, program });
  await expectAnswer({ url: `${hub.url}/health` }, '');
  return performance.now() - began;
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
