import type { Floor } from '../floor/floor.ts';
import { type Comparison, compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import type { Section } from '../measure/report.ts';
import type { Server } from '../peers/server.ts';
import { COMMANDS } from './commands.ts';
import { SseConnection } from './sse-call.ts';

const ROUNDS = 9;
const CALLS_PER_ROUND = 60;
const CALL = 'svc, request to first SSE event';
const SPAWN = 'bare Bun.spawn to first byte';
const FLOOR = 'bare posix_spawn in C to first byte';

/** How much later the first output arrives through HTTP than from a spawn by the same client in the same loop. */
export async function measureFirstByte(svc: Server, floor: Floor | undefined): Promise<Section> {
  using connection = await SseConnection.open(svc.url);
  const contestants: Contestant[] = [
    { name: CALL, measure: () => oneAfterAnother(() => connection.firstEventMs('/shell')) },
    { name: SPAWN, measure: () => oneAfterAnother(spawnToFirstByteMs) },
    ...(floor ? [{ name: FLOOR, measure: () => floor.firstByteMs(COMMANDS.shell, CALLS_PER_ROUND) }] : []),
  ];
  const comparisons: Comparison[] = [
    { subject: CALL, against: SPAWN, goal: { atMost: 1.4 } },
    ...(floor ? [{ subject: CALL, against: FLOOR }] : []),
  ];
  const turns = await interleave(contestants.map(inMicroseconds), ROUNDS);
  return {
    title: `First output byte, \`${COMMANDS.shell.join(' ')}\`, p50 of ${ROUNDS * CALLS_PER_ROUND} calls, one at a time`,
    unit: 'µs',
    comparisons: comparisons.map((comparison) => compare(comparison, turns)),
    notMeasured: floor ? [] : ['against a spawn in C: no C compiler is installed'],
    turns,
  };
}

async function oneAfterAnother(call: () => Promise<number>): Promise<number[]> {
  const figures: number[] = [];
  while (figures.length < CALLS_PER_ROUND) figures.push(await call());
  return figures;
}

async function spawnToFirstByteMs(): Promise<number> {
  const began = performance.now();
  const child = Bun.spawn([...COMMANDS.shell], { stdio: ['ignore', 'pipe', 'ignore'] });
  const reader = child.stdout.getReader();
  await reader.read();
  const firstByte = performance.now() - began;
  while (!(await reader.read()).done);
  await child.exited;
  return firstByte;
}

function inMicroseconds(contestant: Contestant): Contestant {
  return {
    name: contestant.name,
    measure: async () => (await contestant.measure()).map((ms) => Math.round(ms * 1000)),
  };
}
