import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasNetcat, netcatSeconds } from '../floor/netcat.ts';
import { compare, type Goal } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { residentMiB } from '../measure/process-use.ts';
import { output } from '../measure/program.ts';
import { reading } from '../measure/reading.ts';
import type { Report } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startAgent, startHub } from '../peers/hub.ts';
import { seedAccounts } from '../peers/seed.ts';
import { svcProgram } from '../peers/svc.ts';
import { type BenchFile, type Caller, fileCaller } from './caller.ts';

const MIB = 1024 * 1024;
const BYTES = 2 * 1024 * MIB;
const QUICK_BYTES = 256 * MIB;
const WARM_BYTES = 64 * MIB;
const SAMPLE_MS = 10;
const NETCAT = '`cat FILE | nc` over loopback';
const FLOOR = 'cat into one TCP connection (bench/floor/tcp.c)';
const IN = 'a body into stdin';
const OUT = 'a file out, as artifact';
const DOWNLOAD = 'its download';
const DISK = 'a plain program that writes and syncs the same file';

/**
 * `npm run bench -- files [--quick]`: 2 GB through hub and agent, in as the body of a call and out as artifact: memory of both, whether
 * the bytes are the same, and the rate beside `cat FILE | nc` over loopback.
 */
export async function benchFiles(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const bytes = isQuick ? QUICK_BYTES : BYTES;
  const rounds = isQuick ? 1 : 3;
  await using folder = await temporaryFolder();
  const tcp = join(folder.path, 'tcp');
  await output(['cc', '-O2', '-o', tcp, join(import.meta.dir, '../floor/tcp.c')]);
  const [small, large] = await Promise.all([
    randomFile(join(folder.path, 'small'), WARM_BYTES),
    randomFile(join(folder.path, 'large'), bytes),
  ]);
  const dataDir = join(folder.path, 'hub');
  await mkdir(dataDir);
  const [account] = await seedAccounts(dataDir, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  await using hub = await startHub({ dataDir });
  const config = join(folder.path, 'svc.yaml');
  await Bun.write(config, JSON.stringify({ version: 1, endpoints: endpoints([small, large]) }));
  const stateDir = join(folder.path, 'agent');
  await using agent = await startAgent({ config, token, hubUrl: hub.url, stateDir });
  await touchMemory(large.path, folder.path);
  const caller = fileCaller(hub.url, account);
  for (let warm = 0; warm < 3; warm += 1) await everyWay(caller, small);

  const memory: { readonly what: string; readonly hub: number; readonly agent: number }[] = [];
  const measured = async (what: string, work: () => Promise<number>) => {
    const { figure, grown } = await growthOf([hub.pid, agent.pid], work);
    memory.push({ what, hub: grown[0] ?? Number.NaN, agent: grown[1] ?? Number.NaN });
    return [bytes / MIB / figure];
  };
  let artifact = '';
  const leave = async () => {
    const { seconds, url } = await caller.leave('leave-large', large);
    artifact = url;
    return seconds;
  };
  const artifacts = join(dataDir, 'artifacts');
  const download = async () => {
    const seconds = await caller.download(artifact, large);
    // The next round writes into the memory of this file, as on a machine that has run for long.
    await rm(join(artifacts, artifact.split('/').at(-3) ?? ''), { recursive: true });
    return seconds;
  };
  const contestants = [
    ...(hasNetcat()
      ? [{ name: NETCAT, measure: async () => [bytes / MIB / (await netcatSeconds(large.path))] }]
      : []),
    { name: FLOOR, measure: async () => [bytes / MIB / (await floorSeconds(tcp, large.path))] },
    { name: DISK, measure: async () => [bytes / MIB / (await diskSeconds(large.path, folder.path))] },
    { name: IN, measure: () => measured(IN, () => caller.sendIn('discard', large)) },
    { name: OUT, measure: () => measured(OUT, leave) },
    { name: DOWNLOAD, measure: () => measured(DOWNLOAD, download) },
  ];
  const turns = await interleave(contestants, rounds);
  await caller.sendIn('sum', large);
  const ratios = (against: string, goal?: Goal) =>
    [IN, OUT, DOWNLOAD, DISK].map((subject) =>
      compare({ subject, against, ...(goal && (subject === IN || subject === OUT) ? { goal } : {}) }, turns),
    );
  const goal = { atMost: 32 };
  const mostOf = (figures: readonly number[]) => Math.max(...figures);
  const report: Report = {
    benchmark: 'files',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { svc: svcProgram().description, netcat: NETCAT, floor: FLOOR },
    sections: [
      {
        title: `${bytes / MIB} MiB through hub and agent; same SHA-256: of a body once, of artifact and download each time`,
        unit: 'MiB/s',
        comparisons: [...(hasNetcat() ? ratios(NETCAT, { atLeast: 0.5 }) : []), ...ratios(FLOOR)],
        notMeasured: hasNetcat() ? [] : [`${NETCAT}: there is no nc.openbsd (netcat-openbsd)`],
        turns,
      },
      {
        title: 'Resident memory, the peak minus before, of each of these',
        unit: 'MiB',
        comparisons: [],
        readings: (['hub', 'agent'] as const).flatMap((process) => [
          reading({
            what: `${process}, at most`,
            figures: [mostOf(memory.map((one) => one[process]))],
            goal,
          }),
          ...[IN, OUT, DOWNLOAD].map((what) =>
            reading({
              what: `${process}, ${what}`,
              figures: memory.filter((one) => one.what === what).map((one) => one[process]),
            }),
          ),
        ]),
        notMeasured: [],
        turns: [],
      },
    ],
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

function endpoints(files: readonly BenchFile[]): object[] {
  const body = { stdin: 'body', max_stdin: 2 * BYTES, timeout: 900 };
  return [
    { name: 'discard', command: 'cat > /dev/null', ...body },
    { name: 'sum', command: 'sha256sum', ...body },
    ...files.map(({ path, name }) => ({
      name: `leave-${name}`,
      command: `ln ${path} "$SVC_OUTPUT_DIR/${name}"`,
      artifacts: ['*'],
      timeout: 900,
    })),
  ];
}

/**
 * A virtual machine gets each page of memory when it first writes to it, which takes longer than the transfer. A machine that has run
 * for a while already has all its memory, and uses it as the cache of files.
 */
async function touchMemory(path: string, folder: string): Promise<void> {
  const copies = [join(folder, 'copy-1'), join(folder, 'copy-2')];
  for (const copy of copies) await output(['cp', '--reflink=never', path, copy]);
  await Promise.all(copies.map((copy) => rm(copy)));
}

async function everyWay(caller: Caller, file: BenchFile): Promise<void> {
  await caller.sendIn('discard', file);
  await caller.sendIn('sum', file);
  await caller.download((await caller.leave(`leave-${file.name}`, file)).url, file);
}

async function randomFile(path: string, bytes: number): Promise<BenchFile> {
  await output(['sh', '-c', `head -c ${bytes} /dev/urandom > ${path}`]);
  const sha256 = (await output(['sha256sum', path])).slice(0, 64);
  return { path, name: path.slice(path.lastIndexOf('/') + 1), sha256 };
}

async function floorSeconds(program: string, path: string): Promise<number> {
  const printed = await output(['sh', '-c', `cat ${path} | ${program}`]);
  return (JSON.parse(printed) as { seconds: number }).seconds;
}

/** How fast the disk takes the file, for which the end of an artifact waits. */
async function diskSeconds(path: string, folder: string): Promise<number> {
  const copy = join(folder, 'copy');
  const begun = performance.now();
  await output(['dd', `if=${path}`, `of=${copy}`, 'bs=1M', 'conv=fsync', 'status=none']);
  const seconds = (performance.now() - begun) / 1_000;
  await rm(copy);
  return seconds;
}

/** The figure of the work, and how many MiB each process took at most beyond what it had before. */
async function growthOf(pids: readonly number[], work: () => Promise<number>) {
  const before = pids.map(residentMiB);
  const peaks = [...before];
  const sample = () =>
    pids.forEach((pid, at) => {
      peaks[at] = Math.max(peaks[at] ?? 0, residentMiB(pid));
    });
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const figure = await work();
    sample();
    return { figure, grown: peaks.map((peak, at) => peak - (before[at] ?? 0)) };
  } finally {
    clearInterval(timer);
  }
}
