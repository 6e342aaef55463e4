import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildRunnerImage } from '@svc/agent/runner/container/image/build-image';
import { findImage } from '@svc/agent/runner/container/image/runner-image';
import { compare, type Goal } from '../measure/comparison.ts';
import { figuresOf, interleave } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { output } from '../measure/program.ts';
import { reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { svcProgram } from '../peers/svc.ts';
import { startDocker } from './docker-daemon.ts';
import { dockerRun } from './docker-run.ts';
import { engineAlone } from './engine-alone.ts';
import { throughHub } from './through-hub.ts';
import { burst, CAPACITY, makeReady, type Way } from './way.ts';

/** Executions of one turn, of those whose time is a second and of those whose time is milliseconds. */
const LOADS = [
  { callers: 1, dockers: 4, ours: 10 },
  { callers: 5, dockers: 5, ours: 20 },
  { callers: CAPACITY, dockers: 20, ours: 40 },
] as const;
const RATE = { callers: CAPACITY, dockers: 30, ours: 160 } as const;

type Load = (typeof LOADS)[number] | typeof RATE;

const LATENCY_GOALS = { warm: { atMost: 0.03 }, cold: { atMost: 0.15 } } as const;
const RATE_GOAL = { atLeast: 20 } as const;

interface Compared {
  readonly way: Way;
  readonly kind: 'warm' | 'cold';
}

interface Competition {
  /** Undefined without Docker; then figures stand by themselves, and no goal is checked. */
  readonly docker: Way | undefined;
  readonly ours: readonly Compared[];
  readonly rounds: number;
}

/**
 * `npm run bench -- hosted [--quick] [--image FOLDER]`: `true` in a fresh container, one at a time and many at once, against
 * `docker run --rm` of the same image with the same rules. Needs root and crun, like a host of the hosted runner.
 */
export async function benchHosted(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  await using resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await temporaryFolder());
  const imageFolder = await imageIn(args);
  const image = findImage(imageFolder);
  const daemon = await startDocker(folder);
  if (daemon !== undefined) resources.use(daemon);
  const docker = daemon && (await dockerRun(daemon, image, folder));
  const ours: Compared[] = [];
  for (const kind of ['warm', 'cold'] as const) {
    const maxWaiting = kind === 'warm' ? CAPACITY : 0;
    const alone = { imageFolder, dataFolder: join(folder, `alone-${kind}`), maxWaiting };
    ours.push({ kind, way: resources.use(await engineAlone(alone)) });
    const hub = { imageFolder, folder: join(folder, `hub-${kind}`), maxWaiting };
    ours.push({ kind, way: resources.use(await throughHub(hub)) });
  }
  const machine = await machineFacts();
  const sections: Section[] = [];
  const competition = { docker, ours, rounds: isQuick ? 1 : 5 };
  for (const load of LOADS) sections.push(await latency(competition, load));
  sections.push(await rate(competition));
  const report: Report = {
    benchmark: 'hosted',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: {
      svc: svcProgram().description,
      docker: daemon === undefined ? 'not installed' : `Docker ${daemon.version}, a daemon of its own`,
      crun: (await output(['crun', '--version'])).split('\n')[0] ?? '',
    },
    sections,
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

/** Built if it is missing, which takes half a minute, and kept for the next run. */
async function imageIn(args: readonly string[]): Promise<string> {
  const at = args.indexOf('--image');
  const given = at < 0 ? undefined : args[at + 1];
  if (given !== undefined) return given;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-bench', 'runner-image');
  await buildRunnerImage({ folder });
  return folder;
}

/** How long each takes when this many begin at the same moment, and the next ones when everything is at rest. */
async function latency(competition: Competition, load: Load): Promise<Section> {
  const measure = async (way: Way, executions: number) => {
    const tookUs: number[] = [];
    for (let done = 0; done < executions; done += load.callers) {
      await makeReady(way);
      tookUs.push(...(await burst(way, load.callers)));
    }
    return tookUs;
  };
  const title = `\`true\` in a fresh container, ${load.callers} at once: p50`;
  return await section(competition, {
    title,
    unit: 'µs',
    load,
    measure,
    goalOf: (kind) => LATENCY_GOALS[kind],
  });
}

/** How many are done in a second, where each caller begins the next one as soon as it has its answer. */
async function rate(competition: Competition): Promise<Section> {
  const measure = async (way: Way, executions: number) => {
    await makeReady(way);
    let left = executions;
    const keepCalling = async () => {
      while (left-- > 0) await way.once();
    };
    const startMs = performance.now();
    await Promise.all(Array.from({ length: RATE.callers }, keepCalling));
    return [(executions / (performance.now() - startMs)) * 1_000];
  };
  const title = `\`true\` in a fresh container, ${RATE.callers} callers without a pause`;
  return await section(competition, {
    title,
    unit: 'executions/s',
    load: RATE,
    measure,
    goalOf: () => RATE_GOAL,
  });
}

interface Discipline {
  readonly title: string;
  readonly unit: string;
  readonly load: Load;
  readonly measure: (way: Way, executions: number) => Promise<readonly number[]>;
  readonly goalOf: (kind: Compared['kind']) => Goal;
}

async function section(competition: Competition, discipline: Discipline): Promise<Section> {
  const { docker, ours, rounds } = competition;
  const { title, unit, load, measure, goalOf } = discipline;
  const contestantOf = (way: Way, executions: number) => ({
    name: way.name,
    measure: () => measure(way, executions),
  });
  const contestants = ours.map(({ way }) => contestantOf(way, load.ours));
  if (docker !== undefined) contestants.unshift(contestantOf(docker, load.dockers));
  const turns = await interleave(contestants, rounds);
  if (docker === undefined) {
    const readings = ours.map(({ way: { name } }) =>
      reading({ what: name, figures: figuresOf(name, turns) }),
    );
    return { title, unit, comparisons: [], readings, notMeasured: ['Docker is not installed'], turns };
  }
  const comparisons = ours.map(({ way, kind }) =>
    compare({ subject: way.name, against: docker.name, goal: goalOf(kind) }, turns),
  );
  return { title, unit, comparisons, notMeasured: [], turns };
}
