import { type Comparison, compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import { output } from '../measure/program.ts';
import type { Section } from '../measure/report.ts';
import { expectAnswer } from '../peers/server.ts';
import { NO_BINARY, serve, svcBinary } from '../peers/svc.ts';

const ROUNDS = 15;
const HEALTH = 'svc, start to answered /health';
const EXECUTION = 'svc, start to answered execution';
const NODE = '`node -e 0`, the whole process';

/** From nothing to the first answer, against the least that a program in Node can take. */
export async function measureStartUp(config: string): Promise<Section> {
  const binary = svcBinary();
  const node = Bun.which('node');
  const shown = { title: 'Start of the binary', unit: 'ms' };
  if (binary === undefined || node === null) {
    const reason = binary ? 'node is not installed' : NO_BINARY;
    return { ...shown, comparisons: [], notMeasured: [`start-up against node: ${reason}`], turns: [] };
  }
  const contestants: Contestant[] = [
    { name: HEALTH, measure: () => untilAnswered(binary, config, '/health') },
    { name: EXECUTION, measure: () => untilAnswered(binary, config, '/argv') },
    { name: NODE, measure: () => wholeProcess([node, '-e', '0']) },
  ];
  const comparisons: Comparison[] = [
    { subject: HEALTH, against: NODE, goal: { atMost: 0.8 } },
    { subject: EXECUTION, against: NODE },
  ];
  const turns = await interleave(contestants, ROUNDS);
  return { ...shown, comparisons: comparisons.map((one) => compare(one, turns)), notMeasured: [], turns };
}

async function untilAnswered(binary: string, config: string, path: string): Promise<number[]> {
  const began = performance.now();
  const { url, stop } = await serve([binary], config);
  try {
    await expectAnswer({ url: `${url}${path}` }, '');
    return [performance.now() - began];
  } finally {
    await stop();
  }
}

async function wholeProcess(argv: readonly string[]): Promise<number[]> {
  const began = performance.now();
  await output(argv);
  return [performance.now() - began];
}
