import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NOOP_OUTPUT, NOOP_SLUG, startNoopAgent } from '../hub/noop.ts';
import { type Load, loadGenerator, perSecond, type Request } from '../load/load.ts';
import { compare, type Goal } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { cpuOf } from '../measure/process-use.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub, startUp } from '../peers/hub.ts';
import type { seedAccounts } from '../peers/seed.ts';
import { expectAnswer } from '../peers/server.ts';
import { serve, svcProgram } from '../peers/svc.ts';
import { PipelineCaller } from '../pipelines/pipeline-caller.ts';
import { PRINTED, writeConfig } from '../serve/commands.ts';

const CONNECTIONS = 8;
const MANY_CONNECTIONS = 64;
const STEPS = 100;
const WARM_UP_SECONDS = 5;
const SECONDS = 2;
const ROUNDS = 9;
/** Noise of one machine: a version that is within it is not slower. */
const NOT_SLOWER: Goal = { atLeast: 0.97 };
const NOT_LONGER: Goal = { atMost: 1.03 };
const MICROSECONDS_PER_MS = 1000;

/** One version of the program, and how its own source makes accounts. */
interface Version {
  readonly name: string;
  readonly program: readonly string[];
  readonly seed: typeof seedAccounts;
}

/** A measurement of each version: a figure per turn, and which way is better. */
interface Measured {
  readonly title: string;
  readonly unit: string;
  readonly goal: Goal;
  readonly measure: (version: Version) => Promise<number>;
}

/**
 * `npm run bench -- versions --before=CHECKOUT [--quick] [--only=TEXT]`: this version and an earlier one take turns. CHECKOUT is a work tree
 * of the earlier version with its packages, in which `npm run build` has run. TEXT is a part of the titles of the rows to
 * measure.
 */
export async function benchVersions(args: readonly string[]): Promise<void> {
  const checkout = args.find((arg) => arg.startsWith('--before='))?.slice('--before='.length);
  const binary = checkout && join(resolve(checkout), 'dist', 'svc');
  if (!binary || !existsSync(binary))
    throw new Error('--before=CHECKOUT: a checkout with dist/svc expected (npm run build in it)');
  const { seedAccounts: seedBefore } = await import(join(resolve(checkout), 'bench/peers/seed.ts'));
  const { seedAccounts: seedNow } = await import('../peers/seed.ts');
  const now = svcProgram();
  const versions: readonly Version[] = [
    { name: 'this version', program: now.argv, seed: seedNow },
    { name: 'before', program: [binary], seed: seedBefore },
  ];
  await using stack = new AsyncDisposableStack();
  const rounds = args.includes('--quick') ? 2 : ROUNDS;
  const sections: Section[] = [];
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length) ?? '';
  for (const row of await rows(versions, loadGenerator(), stack))
    if (row.title.includes(only)) sections.push(await measureRow(row, versions, rounds));
  const report: Report = {
    benchmark: 'versions',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { 'this version': now.description, before: 'the binary of an earlier version' },
    sections,
  };
  console.log(toMarkdown(report));
  if (rounds === ROUNDS && only === '') console.log(`\nRaw rows: ${await writeReport(report)}`);
}

async function measureRow(
  { title, unit, goal, measure }: Measured,
  versions: readonly Version[],
  rounds: number,
) {
  const contestants = versions.map(
    (version): Contestant => ({ name: version.name, measure: async () => [await measure(version)] }),
  );
  const turns = await interleave(contestants, rounds);
  const result = compare({ subject: 'this version', against: 'before', goal }, turns);
  return { title, unit, comparisons: [result], notMeasured: [], turns };
}

/** Starts every program of both versions, so that all of them are warm before the first turn. */
async function rows(
  versions: readonly Version[],
  load: Load,
  stack: AsyncDisposableStack,
): Promise<readonly Measured[]> {
  const folder = stack.use(await temporaryFolder()).path;
  const config = await writeConfig(folder);
  const started = new Map<Version, Started>();
  for (const version of versions) started.set(version, await start(version, { folder, config, stack }));
  const of = (version: Version): Started => {
    const one = started.get(version);
    if (one === undefined) throw new Error(`${version.name} was not started`);
    return one;
  };
  for (const { serve: served, up, noop } of started.values()) {
    for (const request of [served, up]) await expectAnswer(request, PRINTED);
    await expectAnswer(noop, JSON.stringify(NOOP_OUTPUT));
    for (const request of [served, up, noop]) await load.keepAsking(request, CONNECTIONS, WARM_UP_SECONDS);
  }
  const speed = (title: string, request: (one: Started) => Request, connections: number): Measured => ({
    title,
    unit: 'executions/s',
    goal: NOT_SLOWER,
    measure: async (version) => perSecond(await load.keepAsking(request(of(version)), connections, SECONDS)),
  });
  const alone = (title: string, request: (one: Started) => Request): Measured => ({
    title,
    unit: 'ms',
    goal: NOT_LONGER,
    measure: async (version) => (await load.keepAsking(request(of(version)), 1, SECONDS)).p50Ms,
  });
  const cost = (title: string, program: 'serve' | 'up' | 'noop', connections: number): Measured => ({
    title: `${title}, own processor time per call`,
    unit: 'µs',
    goal: NOT_LONGER,
    measure: async (version) => {
      const { [program]: request, pids } = of(version);
      const { result, cpu } = await cpuOf(pids[program], () =>
        load.keepAsking(request, connections, SECONDS),
      );
      return (cpu.ownMs * MICROSECONDS_PER_MS) / result.answered;
    },
  });
  return [
    cost('`svc serve`, echo hi', 'serve', CONNECTIONS),
    cost('`svc up`, echo hi', 'up', CONNECTIONS),
    cost('Hub, an agent that does not spawn', 'noop', MANY_CONNECTIONS),
    speed(`\`svc serve\`, echo hi, ${CONNECTIONS} connections`, (one) => one.serve, CONNECTIONS),
    speed(`\`svc up\`, echo hi, ${CONNECTIONS} connections`, (one) => one.up, CONNECTIONS),
    alone('`svc up`, echo hi, 1 connection, p50', (one) => one.up),
    speed(
      `Hub, an agent that does not spawn, ${MANY_CONNECTIONS} connections`,
      (one) => one.noop,
      MANY_CONNECTIONS,
    ),
    {
      title: `A chain of ${STEPS} steps that do nothing`,
      unit: 'ms',
      goal: NOT_LONGER,
      measure: (version) => of(version).pipelines.runMs('chain', STEPS),
    },
  ];
}

interface Started {
  readonly serve: Request;
  readonly up: Request;
  readonly noop: Request;
  readonly pipelines: PipelineCaller;
  readonly pids: Readonly<Record<'serve' | 'up' | 'noop', number>>;
}

interface Place {
  readonly folder: string;
  readonly config: string;
  readonly stack: AsyncDisposableStack;
}

async function start(version: Version, { folder, config, stack }: Place): Promise<Started> {
  const { program } = version;
  const served = await serve(program, config);
  stack.defer(served.stop);
  const up = stack.use(await startUp(config, join(folder, `${version.name}-up`), program));
  const dataDir = join(folder, `${version.name}-hub`);
  const [account] = await version.seed(dataDir, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  const hub = stack.use(await startHub({ dataDir, program }));
  stack.use(await startNoopAgent(hub.url, token));
  const pipelines = new PipelineCaller(hub.url, account);
  await pipelines.make('chain', STEPS);
  return {
    serve: { url: `${served.url}/argv` },
    up: { url: `${up.url}/argv`, headers: { 'x-api-key': up.key } },
    noop: {
      url: `${hub.url}/v1/${account.username}/${NOOP_SLUG}`,
      headers: { 'x-api-key': account.apiKey },
    },
    pipelines,
    pids: { serve: served.pid, up: up.pid, noop: hub.pid },
  };
}
