import { join } from 'node:path';
import { encodeEvent } from '@svc/core/execution/sse';
import { compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import { output } from '../measure/program.ts';
import { reading } from '../measure/reading.ts';
import type { Section } from '../measure/report.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { type Running, startAgent, startHub } from '../peers/hub.ts';
import { seedAccounts } from '../peers/seed.ts';
import type { Means } from './means.ts';
import { flatness, type Sample, watchMemory } from './memory-samples.ts';

const LINE = '0123456789'.repeat(10).slice(1);
const LINE_BYTES = LINE.length + 1;
const EVENT_BYTES = encodeEvent({ type: 'output', data: LINE }).length;
const THROUGH = 'agent to hub to client, as events, stored to the limit';
const PIPE = 'the same command piped into `wc -c`';
/** From here on memory has to stay as it is. */
const FROM_BYTES = 10_000_000;
const FLAT_MIB = 32;
const TIMEOUT_SEC = 600;

const command = (lines: number) => `yes ${LINE} | head -n ${lines}`;

/** Much output, through three processes and two sockets: how long it takes, and what memory it takes. */
export async function measureVolume({ size }: Means): Promise<Section[]> {
  await using world = await volumeWorld(size);
  const contestants: Contestant[] = [
    { name: THROUGH, measure: () => took(() => world.read('lines', size.lines)) },
    { name: PIPE, measure: () => took(() => count(size.lines)) },
  ];
  // The long one comes first: memory is sampled while both processes are new.
  const memory = await world.watch('flat', size.flatLines);
  const turns = await interleave(contestants, Math.min(size.rounds, MAX_ROUNDS));
  const goal = { atMost: 2 };
  return [
    {
      title: `${size.lines.toLocaleString('en')} lines of ${LINE_BYTES} bytes`,
      unit: 'ms',
      comparisons: [compare({ subject: THROUGH, against: PIPE, goal }, turns)],
      notMeasured: [],
      turns,
    },
    memorySection(memory, size.flatLines),
  ];
}

/** One takes several seconds. */
const MAX_ROUNDS = 3;

function memorySection(memory: MemorySamples, lines: number): Section {
  const gigabytes = (lines * LINE_BYTES) / 1e9;
  const turns = (['hub', 'agent'] as const).flatMap((name) =>
    memory[name].map(({ bytes, residentMiB }, at) => ({
      round: at + 1,
      contestant: `${name}, MiB after as many bytes as the first raw figure says`,
      figure: residentMiB,
      raw: [bytes, residentMiB],
    })),
  );
  const readings = (['hub', 'agent'] as const).flatMap((name) => {
    const { beforeMiB, usualGrowthMiB, growthMiB } = flatness(
      memory[name],
      FROM_BYTES * (EVENT_BYTES / LINE_BYTES),
    );
    return [
      reading({ what: `the ${name}, maximum until 10 MB`, figures: [beforeMiB] }),
      reading({ what: `the ${name}, later growth, median`, figures: [usualGrowthMiB] }),
      reading({
        what: `the ${name}, later growth, maximum`,
        figures: [growthMiB],
        goal: { atMost: FLAT_MIB },
      }),
    ];
  });
  const title = `Physical memory of new processes while ${gigabytes} GB pass`;
  return { title, unit: 'MiB', comparisons: [], readings, notMeasured: [], turns };
}

interface MemorySamples {
  readonly hub: readonly Sample[];
  readonly agent: readonly Sample[];
}

async function volumeWorld(size: Means['size']) {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const config = join(folder.path, 'svc.yaml');
  const endpoints = [
    { name: 'lines', command: command(size.lines), timeout: TIMEOUT_SEC },
    { name: 'flat', command: command(size.flatLines), timeout: TIMEOUT_SEC },
  ];
  await Bun.write(config, JSON.stringify({ version: 1, endpoints }));
  const [account] = await seedAccounts(dataDir, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  const hub = await startHub({ dataDir });
  const agent = await startAgent({ config, token, hubUrl: hub.url, stateDir: join(folder.path, 'state') });
  const curl = (slug: string) => readToTheEnd(`${hub.url}/v1/${account.username}/${slug}`, account.apiKey);
  return {
    async read(slug: string, lines: number): Promise<void> {
      await curl(slug).expect(lines * EVENT_BYTES);
    },
    async watch(slug: string, lines: number): Promise<MemorySamples> {
      const reader = curl(slug);
      const memory = watchMemory(reader.pid, { hub: hub.pid, agent: agent.pid });
      await reader.expect(lines * EVENT_BYTES);
      return memory;
    },
    async [Symbol.asyncDispose]() {
      for (const one of [agent, hub] as Running[]) await one[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A client that costs next to nothing: curl writes into nowhere. */
function readToTheEnd(url: string, key: string) {
  const argv = ['curl', '-sSN', '-o', '/dev/null', '-w', '%{size_download}', '-H', `X-API-Key: ${key}`, url];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    pid: child.pid,
    /** This many bytes of output, followed by the event of the end. */
    async expect(bytes: number): Promise<void> {
      const read = Number(await new Response(child.stdout).text());
      await child.exited;
      if (read < bytes || read > bytes + 200)
        throw new Error(`${url}: ${read} bytes came, ${bytes} expected`);
    },
  };
}

async function count(lines: number): Promise<void> {
  const counted = Number(await output(['/bin/sh', '-c', `${command(lines)} | wc -c`]));
  if (counted !== lines * LINE_BYTES) throw new Error(`wc counted ${counted}`);
}

async function took(work: () => Promise<void>): Promise<number[]> {
  const began = performance.now();
  await work();
  return [performance.now() - began];
}
