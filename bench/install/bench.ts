import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseWorld, whyNoRelease } from '../../test/release/release-world.ts';
import { run } from '../../tools/release/run.ts';
import { type Machine, machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { reading } from '../measure/reading.ts';
import type { Report } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';

const ROOT = join(import.meta.dir, '..', '..');
const HUB = 'http://10.99.0.1:9000';
const RELEASE = 'http://10.99.0.1:9001';
const RUNS = 20;
const POLL_MS = 50;
const GOAL_S = 30;
const FILE = 'version: 1\nendpoints:\n  - name: own\n    command: "echo first; sleep 1; echo second"\n';
const IN_ROOT = 'mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -euc "$1"';

/**
 * From nothing to the first streamed line of an own command: a machine in a network namespace of its own installs the package
 * from a release and connects its agent, and a caller beside the hub, in another namespace, calls until the first line comes.
 * The machine is a clean Debian without systemd, so the line starts `svc agent` and not `svc agent install`.
 */
export async function benchInstall(): Promise<void> {
  const why = whyNoRelease();
  if (why !== undefined) throw new Error(why);
  await using world = await releaseWorld();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-install-'));
  const children: Bun.Subprocess[] = [];
  const started = (argv: readonly string[], env: Record<string, string> = {}) => {
    const child = Bun.spawn([...argv], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(child);
    return child;
  };
  try {
    makeNamespaces();
    const files = `Bun.serve({ hostname: '10.99.0.1', port: 9001, fetch: (r) => new Response(Bun.file('${world.folder}' + new URL(r.url).pathname)) })`;
    started([...inNamespace('svc-hub'), process.execPath, '-e', files]);
    const svc = [...inNamespace('svc-hub'), process.execPath, join(ROOT, 'cli/svc.ts')];
    const env = { SVC_DATA_DIR: join(folder, 'data'), SVC_HUB_URL: HUB, SVC_RATE_LIMITS: 'off' };
    started([...svc, 'hub', '--host', '0.0.0.0', '--port', '9000'], env);
    await answers(`${HUB}/health`);
    const bootstrap = ['admin', 'bootstrap', 'ada@example.com', '--username', 'ada', '--hub-url', HUB];
    run([...svc, ...bootstrap, '--write-to', folder], { env });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
    writeFileSync(join(world.root, 'root/svc.yaml'), FILE);
    const line = [
      `curl -fsSL ${RELEASE}/install.sh | sh -s -- --url ${RELEASE} >/dev/null`,
      `SVC_TOKEN=${read('agent-token')} exec svc agent --base-url ${HUB} --config /root/svc.yaml >/dev/null`,
    ].join(' && ');
    const machine = [...inNamespace('svc-machine'), 'unshare', '--mount', '--pid', '--fork', '--kill-child'];
    const facts = await machineFacts();
    const seconds: number[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      const begin = performance.now();
      const agent = started([...machine, '/bin/sh', '-euc', IN_ROOT, world.root, line]);
      await firstLine(`${HUB}/v1/ada/own`, read('api-key'));
      seconds.push((performance.now() - begin) / 1000);
      console.log(`run ${n + 1}: ${seconds.at(-1)?.toFixed(2)} s`);
      agent.kill('SIGKILL');
      await agent.exited;
      await world.inRoot('apt-get purge -y -qq svc; rm -rf /root/.local');
    }
    const report = reportOf(seconds, facts);
    console.log(toMarkdown(report));
    console.log(`\nWorst ${Math.max(...seconds).toFixed(1)} s. Raw rows: ${await writeReport(report)}`);
  } finally {
    for (const child of children.reverse()) child.kill('SIGKILL');
    await Promise.all(children.map(({ exited }) => exited));
    removeNamespaces();
    rmSync(folder, { recursive: true, force: true });
  }
}

function reportOf(seconds: readonly number[], machine: Machine): Report {
  const what = 'the line on the machine, to the first streamed line at the caller';
  const turns = seconds.map((figure, index) => ({
    round: index + 1,
    contestant: what,
    figure,
    raw: [figure],
  }));
  return {
    benchmark: 'install',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: { svc: 'npm run release of this checkout, linux-x64, in a clean Debian 12' },
    sections: [
      {
        title: 'from nothing to the first line',
        unit: 's',
        comparisons: [],
        readings: [reading({ what, figures: seconds, goal: { atMost: GOAL_S } })],
        notMeasured: [],
        turns,
      },
    ],
  };
}

function inNamespace(name: string): string[] {
  return ['ip', 'netns', 'exec', name];
}

function makeNamespaces(): void {
  removeNamespaces();
  for (const name of ['svc-hub', 'svc-machine']) run(['ip', 'netns', 'add', name]);
  run([
    'ip',
    'link',
    'add',
    'svc0',
    'netns',
    'svc-hub',
    'type',
    'veth',
    'peer',
    'svc1',
    'netns',
    'svc-machine',
  ]);
  for (const [name, link, address] of [
    ['svc-hub', 'svc0', '10.99.0.1/24'],
    ['svc-machine', 'svc1', '10.99.0.2/24'],
  ] as const) {
    run(['ip', '-n', name, 'address', 'add', address, 'dev', link]);
    for (const up of [link, 'lo']) run(['ip', '-n', name, 'link', 'set', up, 'up']);
  }
}

function removeNamespaces(): void {
  for (const name of ['svc-hub', 'svc-machine'])
    Bun.spawnSync(['ip', 'netns', 'delete', name], { stdio: ['ignore', 'ignore', 'ignore'] });
}

/** Asks from the namespace of the hub until there is an answer. */
async function answers(url: string): Promise<void> {
  while (Bun.spawnSync([...inNamespace('svc-hub'), 'curl', '-fsS', url]).exitCode !== 0)
    await Bun.sleep(POLL_MS);
}

/** Calls until the endpoint is there, and resolves with its first line of output. */
async function firstLine(url: string, key: string): Promise<void> {
  for (;;) {
    const curl = ['curl', '-sN', '-H', `X-API-Key: ${key}`, url];
    const caller = Bun.spawn([...inNamespace('svc-hub'), ...curl], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    for await (const chunk of caller.stdout) {
      text += new TextDecoder().decode(chunk);
      if (!text.includes('first')) continue;
      caller.kill();
      return;
    }
    await Bun.sleep(POLL_MS);
  }
}
