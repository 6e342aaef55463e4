import { join } from 'node:path';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub } from '../peers/hub.ts';
import { seedAccounts, storeIn } from '../peers/seed.ts';
import { svcProgram } from '../peers/svc.ts';
import { CROWD, type Crowd, FEW, startCrowd } from './crowd.ts';
import { latenessOf, type MinuteLateness, percentile } from './lateness.ts';

const MINUTE_MS = 60_000;
/** Fires of one minute have ended long before this much of the next has passed. */
const SETTLED_MS = 20_000;
const MINUTES = 2;
const GOAL = { atMost: 500 } as const;

/** `npm run bench -- schedules [--quick]`: how late fires are when 10,000 schedules are due in one minute. Takes three. */
export async function benchSchedules(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const crowd = isQuick ? FEW : CROWD;
  const section = await measure(crowd, isQuick ? 1 : MINUTES);
  const report: Report = {
    benchmark: 'schedules',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { svc: svcProgram().description },
    sections: [section],
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

async function measure(crowd: Crowd, minutes: number): Promise<Section> {
  const schedules = crowd.agents * crowd.schedules;
  await using folder = await temporaryFolder();
  const [account] = await seedAccounts(folder.path, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  const orders = await ordersOf(folder.path, { token, crowd, minutes });
  await using store = await storeIn(folder.path);
  const { workspaceId } = account;
  return sectionOf(schedules, await latenessOf(store.executions, { workspaceId, schedules, orders }));
}

interface Firing {
  readonly token: string;
  readonly crowd: Crowd;
  readonly minutes: number;
}

/** Runs a hub for some minutes; returns when the order of each execution reached its agent. */
async function ordersOf(dataDir: string, { token, crowd, minutes }: Firing) {
  await using hub = await startHub({ dataDir });
  await untilMuchIsLeft();
  await using agents = await startCrowd({ url: hub.url, token }, crowd, join(dataDir, 'orders.json'));
  await untilMinutesHavePassed(minutes);
  await hub.signal('SIGTERM');
  return await agents.orders();
}

/** The first minute must not begin while agents connect. */
async function untilMuchIsLeft(): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < SETTLED_MS) await Bun.sleep(leftMs);
}

async function untilMinutesHavePassed(minutes: number): Promise<void> {
  const lastMs = (Math.floor(Date.now() / MINUTE_MS) + minutes) * MINUTE_MS;
  await Bun.sleep(lastMs + SETTLED_MS - Date.now());
}

function sectionOf(schedules: number, minutes: readonly MinuteLateness[]): Section {
  const figures = (what: keyof MinuteLateness, part: number) =>
    minutes.map((minute) => percentile(minute[what], part));
  const count = schedules.toLocaleString('en');
  return {
    title: `${count} schedules due in one minute, each on record and started once; lateness`,
    unit: 'ms',
    comparisons: [],
    readings: [
      reading({ what: 'record made, median', figures: figures('recorded', 0.5) }),
      reading({ what: 'record made, p99', figures: figures('recorded', 0.99) }),
      reading({ what: 'stored, and its order at the agent, median', figures: figures('started', 0.5) }),
      reading({
        what: 'stored, and its order at the agent, p99',
        figures: figures('started', 0.99),
        goal: GOAL,
      }),
      reading({ what: 'stored, and its order at the agent, the last', figures: figures('started', 1) }),
    ],
    notMeasured: [],
    turns: minutes.flatMap(({ recorded, started }, round) => [
      { round: round + 1, contestant: 'record made', figure: percentile(recorded, 0.99), raw: recorded },
      { round: round + 1, contestant: 'order at the agent', figure: percentile(started, 0.99), raw: started },
    ]),
  };
}
