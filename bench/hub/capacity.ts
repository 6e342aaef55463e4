import { startInsertFloor } from '../floor/insert.ts';
import { perSecond } from '../load/load.ts';
import { compare } from '../measure/comparison.ts';
import { figuresOf, interleaveMany, type ManyFigures, type Turn } from '../measure/interleave.ts';
import { cpuOf, cpuTime } from '../measure/process-use.ts';
import { reading } from '../measure/reading.ts';
import type { Section } from '../measure/report.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub } from '../peers/hub.ts';
import { type Seeded, seedAccounts } from '../peers/seed.ts';
import { expectAnswer } from '../peers/server.ts';
import { checkStored } from './check-stored.ts';
import type { Means } from './means.ts';
import { NOOP_OUTPUT, NOOP_SLUG, startNoopAgent } from './noop.ts';

const CONNECTIONS = [8, 64, 128] as const;
const PUBLISHED = 'published elsewhere: n8n 220/s on 2 vCPU, Hatchet 2,000/s on 8 vCPU';
const GOAL = { atLeast: 8_000 } as const;
const GOAL_OF_FLOOR = { atLeast: 0.5 } as const;
/** With fewer connections than this, the hub may have been idle. */
const GOAL_FROM = 64;

type Series = 'perSecond' | 'hubUs' | 'agentUs';

/**
 * How many executions a hub accepts, stores, hands to an agent and answers, when the agent costs nothing. The floor is a bare
 * server that stores each call once (`bench/floor/insert-server.ts`).
 */
export async function measureCapacity({ load, size }: Means): Promise<Section[]> {
  await using folder = await temporaryFolder();
  const [account] = await seedAccounts(folder.path, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  await using hub = await startHub({ dataDir: folder.path });
  await using agent = await startNoopAgent(hub.url, token);
  await using floor = await startInsertFloor(folder.path);
  const request = requestOf(hub.url, account);
  await expectAnswer(request, JSON.stringify(NOOP_OUTPUT));
  await expectAnswer(floor.request, JSON.stringify(NOOP_OUTPUT));
  for (const side of [request, floor.request]) await load.keepAsking(side, GOAL_FROM, size.warmUpSeconds);
  let answered = 0;
  const measureFloor = async (connections: number) => {
    const work = () => load.keepAsking(floor.request, connections, size.seconds);
    const { result, cpu } = await cpuOf(floor.pid, work);
    return { perSecond: perSecond(result), hubUs: (cpu.ownMs * 1_000) / result.answered, agentUs: 0 };
  };
  const measure = async (connections: number) => {
    const agentBefore = cpuTime(agent.pid).ownMs;
    const work = () => load.keepAsking(request, connections, size.seconds);
    const { result, cpu } = await cpuOf(hub.pid, work);
    const agentMs = cpuTime(agent.pid).ownMs - agentBefore;
    answered += result.answered;
    const usPerCall = (ms: number) => (ms * 1_000) / result.answered;
    return { perSecond: perSecond(result), hubUs: usPerCall(cpu.ownMs), agentUs: usPerCall(agentMs) };
  };
  const contestants = CONNECTIONS.flatMap((connections): ManyFigures<Series>[] => [
    { name: nameOf(connections), measure: () => measure(connections) },
    { name: floorOf(connections), measure: () => measureFloor(connections) },
  ]);
  const turnsOf = await interleaveMany(contestants, size.rounds);
  // The agent answers in order, so everything asked before this is on record after it.
  await expectAnswer(request, JSON.stringify(NOOP_OUTPUT));
  await hub.signal('SIGTERM');
  const stored = await checkStored(folder.path, account.workspaceId, answered);
  return sections(turnsOf, stored);
}

function nameOf(connections: number): string {
  return `${connections} connections`;
}

function floorOf(connections: number): string {
  return `the floor, ${nameOf(connections)}`;
}

function requestOf(hubUrl: string, { username, apiKey }: Seeded) {
  return { url: `${hubUrl}/v1/${username}/${NOOP_SLUG}`, headers: { 'x-api-key': apiKey } };
}

function sections(turnsOf: (series: Series) => Turn[], stored: string): Section[] {
  const section = (title: string, unit: string, series: Series): Section => {
    const turns = turnsOf(series);
    const comparisons = (series === 'agentUs' ? [] : CONNECTIONS).map((connections) => {
      const pair = { subject: nameOf(connections), against: floorOf(connections) };
      const isJudged = series === 'perSecond' && connections >= GOAL_FROM;
      return compare({ ...pair, ...(isJudged && { goal: GOAL_OF_FLOOR }) }, turns);
    });
    const readings = CONNECTIONS.map((connections) => {
      const isJudged = series === 'perSecond' && connections >= GOAL_FROM;
      const what = nameOf(connections);
      const figures = figuresOf(what, turns);
      return reading({ what, figures, ...(isJudged && { goal: GOAL, beside: PUBLISHED }) });
    });
    return { title, unit, comparisons, readings, notMeasured: [], turns };
  };
  return [
    section(`Hub alone, an agent that does not spawn; ${stored}`, 'executions/s', 'perSecond'),
    section('The same: processor time of the hub, per execution', 'µs', 'hubUs'),
    section('The same: processor time of the agent, per execution', 'µs', 'agentUs'),
  ];
}
