import { join } from 'node:path';
import { durableWriteMs } from '../floor/durable-write.ts';
import { perSecond, type Request } from '../load/load.ts';
import { added, compare } from '../measure/comparison.ts';
import { figuresOf, interleaveMany, type ManyFigures, type Turn } from '../measure/interleave.ts';
import { cpuOf } from '../measure/process-use.ts';
import { reading } from '../measure/reading.ts';
import type { Section } from '../measure/report.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startUp } from '../peers/hub.ts';
import { expectAnswer } from '../peers/server.ts';
import { startSvc } from '../peers/svc.ts';
import { PRINTED, writeConfig } from '../serve/commands.ts';
import type { Means } from './means.ts';

const UP = '`svc up`: hub, agent, key, store';
const SERVE = '`svc serve`';
const ADDED = 'p50 that hub, agent and store add';
const WRITE = '4 KiB at the end of a file, with fdatasync, by a plain program, p50';
const MANY = 8;
const PATH = '/argv';

type Series = 'perSecond' | 'ownUs' | 'childrenUs' | 'p50Us' | 'p50AloneUs' | 'writeUs';

/** The time that the hub, the agent and the durable store add to a call of `echo hi`. */
export async function measureThroughHub({ load, size }: Means): Promise<Section[]> {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path);
  await using serve = await startSvc(config);
  await using up = await startUp(config, join(folder.path, 'data'));
  const throughUp = { url: `${up.url}${PATH}`, headers: { 'x-api-key': up.key } };
  const throughServe = { url: `${serve.url}${PATH}` };
  for (const request of [throughUp, throughServe]) {
    await expectAnswer(request, PRINTED);
    await load.keepAsking(request, MANY, size.warmUpSeconds);
  }
  const contestantOf = contestants({ load, size, folder: folder.path });
  const both = [contestantOf(UP, throughUp, up.pid), contestantOf(SERVE, throughServe, serve.pid)];
  return sections(await interleaveMany(both, size.rounds));
}

function contestants({ load, size, folder }: Means & { readonly folder: string }) {
  return (name: string, request: Request, pid: number): ManyFigures<Series> => ({
    name,
    async measure() {
      const { result: many, cpu } = await cpuOf(pid, () => load.keepAsking(request, MANY, size.seconds));
      const alone = await load.keepAsking(request, 1, 1);
      const usPerCall = (ms: number) => (ms * 1_000) / many.answered;
      return {
        perSecond: perSecond(many),
        ownUs: usPerCall(cpu.ownMs),
        childrenUs: usPerCall(cpu.childrenMs),
        p50Us: many.p50Ms * 1_000,
        p50AloneUs: alone.p50Ms * 1_000,
        writeUs: (await durableWriteMs(folder)) * 1_000,
      };
    },
  });
}

function sections(turnsOf: (series: Series) => Turn[]): Section[] {
  const pair = { subject: UP, against: SERVE };
  const compared = (title: string, unit: string, series: Series, more: Partial<Section> = {}): Section => {
    const turns = turnsOf(series);
    return { title, unit, comparisons: [compare(pair, turns)], notMeasured: [], turns, ...more };
  };
  const latency = (title: string, series: Series): Section => {
    const figures = added(pair, turnsOf(series));
    return compared(title, 'µs', series, { readings: [reading({ what: ADDED, figures })] });
  };
  const speed = compared(
    `\`echo hi\`, buffered, ${MANY} connections, stored durably`,
    'executions/s',
    'perSecond',
  );
  return [
    { ...speed, comparisons: [compare({ ...pair, goal: { atLeast: 0.8 } }, speed.turns)] },
    compared('The same: processor time of the process, per call', 'µs', 'ownUs'),
    compared('The same: processor time of the commands, per call', 'µs', 'childrenUs'),
    latency('The same at 1 connection, p50', 'p50AloneUs'),
    beside(added(pair, turnsOf('p50AloneUs')), turnsOf('writeUs')),
    latency(`The same at ${MANY} connections, p50`, 'p50Us'),
  ];
}

/** A stored call has two commits, so it takes two such writes more than a call that is not stored. */
function beside(addedUs: readonly number[], writes: readonly Turn[]): Section {
  const turns = [
    ...addedUs.map((figure, at) => ({ round: at + 1, contestant: ADDED, figure, raw: [figure] })),
    ...figuresOf(UP, writes).map((figure, at) => ({
      ...{ round: at + 1, contestant: WRITE, figure, raw: [figure] },
    })),
  ];
  return {
    title: 'Latency that svc adds at 1 connection, beside one durable write on this disk',
    unit: 'µs',
    comparisons: [compare({ subject: ADDED, against: WRITE, goal: { atMost: 5 } }, turns)],
    notMeasured: [],
    turns,
  };
}
