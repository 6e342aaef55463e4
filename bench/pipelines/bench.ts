import { startNoopAgent } from '../hub/noop.ts';
import { compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub } from '../peers/hub.ts';
import { seedAccounts } from '../peers/seed.ts';
import { svcProgram } from '../peers/svc.ts';
import { PipelineCaller, type Shape } from './pipeline-caller.ts';

const STEPS = 100;
const GOAL = { atMost: 1.1 } as const;
const SIZES = [10, 100, 1_000] as const;
const SHAPES: readonly Shape[] = ['chain', 'wide'];

/**
 * `npm run bench -- pipelines [--quick]`: what a pipeline of steps that do nothing costs beside the same calls, and how it
 * grows. The agent answers without spawning, so what is measured is the hub, with all that it stores.
 */
export async function benchPipelines(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  await using folder = await temporaryFolder();
  const [account] = await seedAccounts(folder.path, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  await using hub = await startHub({ dataDir: folder.path });
  await using _agent = await startNoopAgent(hub.url, token);
  const caller = new PipelineCaller(hub.url, account);
  const sections = [await besideCalls(caller, isQuick ? 3 : 9), ...(await growth(caller, isQuick ? 1 : 3))];
  const report: Report = {
    benchmark: 'pipelines',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { svc: svcProgram().description },
    sections,
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

/** The row of the goals: one call that runs a hundred steps, and a hundred calls one after another. */
async function besideCalls(caller: PipelineCaller, rounds: number): Promise<Section> {
  const subject = `a chain of ${STEPS} steps`;
  const against = `${STEPS} calls, one after another`;
  await caller.make('chain', STEPS);
  const contestants = [
    { name: subject, measure: async () => [await caller.runMs('chain', STEPS)] },
    { name: against, measure: async () => [await caller.callsMs(STEPS)] },
  ];
  const turns = await interleave(contestants, rounds);
  return {
    title: 'A pipeline of steps that do nothing, stored, beside the same calls',
    unit: 'ms',
    comparisons: [compare({ subject, against, goal: GOAL }, turns)],
    notMeasured: [],
    turns,
  };
}

async function growth(caller: PipelineCaller, rounds: number): Promise<Section[]> {
  const contestants: Contestant[] = [];
  for (const shape of SHAPES)
    for (const steps of SIZES) {
      await caller.make(shape, steps);
      contestants.push({
        name: `${shape}, ${steps} steps`,
        measure: async () => [(await caller.runMs(shape, steps)) / steps],
      });
    }
  const turns = await interleave(contestants, rounds);
  const figures = (name: string) =>
    turns.filter(({ contestant }) => contestant === name).map(({ figure }) => figure);
  return [
    {
      title: 'How it grows: the time of a run for each of its steps',
      unit: 'ms per step',
      comparisons: [],
      readings: contestants.map(({ name }) => reading({ what: name, figures: figures(name) })),
      notMeasured: [],
      turns,
    },
  ];
}
