import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { median } from '../measure/statistics.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startUp } from '../peers/hub.ts';
import { svcProgram } from '../peers/svc.ts';
import { type Agent, call, rpc } from './agent.ts';

const MANY_ENDPOINTS = 500;
/** A usual estimate for English and JSON. */
const CHARS_PER_TOKEN = 4;
const PENDING = 1_000;
/** Calls of one endpoint that may wait for approval. */
const TASKS_PER_ENDPOINT = 100;
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** `npm run bench -- mcp [--quick]`: what agents cost: the list of tools, a call beside /v1, first progress, and pending tasks. */
export async function benchMcp(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const rounds = isQuick ? 2 : 7;
  const calls = isQuick ? 100 : 400;
  await using folder = await temporaryFolder();
  const config = join(folder.path, 'svc.yaml');
  await Bun.write(config, JSON.stringify({ version: 1, endpoints: endpoints() }));
  await using up = await startUp(config, join(folder.path, 'data'));
  const agent: Agent = { url: `${new URL(up.url).origin}/mcp`, key: up.key };
  const sections = [
    await listSection(agent),
    await callSection(agent, up.url, { rounds, calls }),
    await progressSection(agent, rounds * 3),
    await pendingSection(agent, up.pid),
  ];
  const report: Report = {
    benchmark: 'mcp',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { svc: svcProgram().description },
    sections,
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

function endpoints(): object[] {
  const plain = (name: string) => ({ name, description: `Restarts part ${name}`, command: 'true' });
  return [
    { name: 'hi', command: 'echo hi' },
    { name: 'lines', command: 'for i in 1 2 3 4 5; do echo $i; sleep 0.1; done' },
    ...Array.from({ length: PENDING / TASKS_PER_ENDPOINT }, (_, index) => ({
      ...plain(`guarded-${index}`),
      approval_required: true,
    })),
    ...Array.from({ length: MANY_ENDPOINTS }, (_, index) => plain(`part-${index}`)),
  ];
}

function section(title: string, unit: string, readings: NonNullable<Section['readings']>): Section {
  return { title, unit, comparisons: [], readings, notMeasured: [], turns: [] };
}

async function listSection(agent: Agent): Promise<Section> {
  const tokensOf = async (query: string) => {
    const { result } = await rpc({ ...agent, url: `${agent.url}${query}` }, 'tools/list');
    return JSON.stringify(result).length / CHARS_PER_TOKEN;
  };
  return section(`List of tools of ${MANY_ENDPOINTS} endpoints`, 'tokens', [
    reading({ what: 'searched', figures: [await tokensOf('')], goal: { atMost: 1_500 } }),
    reading({ what: 'one by one, with mode=list', figures: [await tokensOf('?mode=list')] }),
  ]);
}

/** The two take turns call by call, on a connection each. */
async function callSection(
  agent: Agent,
  baseUrl: string,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<Section> {
  const plain = async () => {
    const headers = { 'x-api-key': agent.key, accept: 'application/json' };
    const response = await fetch(`${baseUrl}/hi`, { method: 'POST', headers });
    if (!(await response.text()).includes('hi')) throw new Error('no answer of /v1');
  };
  const tool = async () => {
    const { result } = await call(agent, 'hi', {});
    if (!JSON.stringify(result).includes('Exit code 0')) throw new Error('no answer of /mcp');
  };
  for (let warm = 0; warm < calls; warm += 1) await Promise.all([plain(), tool()]);
  const added: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const took: { plain: number[]; tool: number[] } = { plain: [], tool: [] };
    for (let one = 0; one < calls; one += 1) {
      took.plain.push(await timed(plain));
      took.tool.push(await timed(tool));
    }
    added.push((median(took.tool) - median(took.plain)) * 1_000);
  }
  return section('`echo hi` as a tool beside the same call over /v1, 1 connection', 'µs', [
    reading({ what: 'p50 that /mcp adds', figures: added, goal: { atMost: 500 } }),
  ]);
}

async function progressSection(agent: Agent, times: number): Promise<Section> {
  const figures: number[] = [];
  for (let one = 0; one < times; one += 1) {
    const begun = performance.now();
    let firstMs: number | undefined;
    await call(
      agent,
      'lines',
      {},
      {
        _meta: { progressToken: one },
        onMessage: () => {
          firstMs ??= performance.now() - begun;
        },
      },
    );
    figures.push(firstMs ?? Number.NaN);
  }
  return section('First progress of a command that prints at once', 'ms', [
    reading({ what: 'from the call to the notification', figures, goal: { atMost: 300 } }),
  ]);
}

async function pendingSection(agent: Agent, pid: number): Promise<Section> {
  const before = await socketsOf(pid);
  for (let one = 0; one < PENDING; one += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const slug = `guarded-${Math.floor((one + index) / TASKS_PER_ENDPOINT)}`;
        const { result } = await call({ ...agent, capabilities: TASKS }, slug, {}, { isAlone: true });
        if (result?.resultType !== 'task') throw new Error(`no task: ${JSON.stringify(result)}`);
      }),
    );
  // The client's own connections close a moment after their answers.
  const deadline = performance.now() + 5_000;
  let after = await socketsOf(pid);
  while (after > before && performance.now() < deadline) after = await socketsOf(pid);
  return section(`${PENDING} calls that wait for approval as tasks`, 'sockets', [
    reading({
      what: 'of the hub, more than before',
      figures: [Math.max(0, after - before)],
      goal: { atMost: 0 },
    }),
  ]);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function socketsOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}
