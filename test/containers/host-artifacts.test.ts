// What hosted commands leave in /output, with real hosts and a real hub: decision 96, files of hosted commands.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TcpProxy } from '../../agent/link/fixtures/tcp-proxy.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { instanceOf } from './container-world.ts';
import { type DockerDaemon, dockerDaemon } from './docker-daemon.ts';
import { inContainers, NO_CONTAINERS, NO_DOCKER, testImage } from './machine.ts';

const MIB = 1024 * 1024;
const BYTES = 12 * MIB;
const hosted = { agent_name: 'hosted', artifacts: ['**'] } as const;
const ENDPOINTS = [
  {
    name: 'build',
    command: `cd "$SVC_OUTPUT_DIR" && pwd && printf a > a && ln -s /etc/passwd link && head -c ${BYTES} /dev/urandom > big && sha256sum < big`,
    ...hosted,
  },
  {
    name: 'full',
    command: 'fallocate -l 2G /output/huge || echo full; ls -A /output; touch /output/fits',
    ...hosted,
  },
  { name: 'idle', command: 'touch /output/a; echo begun; sleep 600', timeout: 900, ...hosted },
];
const LATER = { headers: { prefer: 'respond-async' } };

interface Item {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly sha256?: string;
}

leavesFiles('oci', NO_CONTAINERS);
leavesFiles('docker', NO_DOCKER);

function leavesFiles(engine: 'oci' | 'docker', problem: string | undefined): void {
  describe.skipIf(problem !== undefined)(inContainers(`/output of ${engine}`, problem), () => {
    let daemon: DockerDaemon | undefined;
    let world: HubWorld;
    let proxy: TcpProxy;
    let folder: TemporaryFolder;
    let host: ReturnType<typeof startSvc>;
    let token: string;
    let imageFolder: string;
    beforeAll(async () => {
      imageFolder = await testImage();
      if (engine === 'docker') daemon = await dockerDaemon();
      world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro' } });
      proxy = await TcpProxy.to(Number(new URL(world.hub.hubUrl).port));
      folder = await temporaryFolder();
      token = (await world.admin((admin) => admin.makeRunnerToken('rack'))).token;
      await using _owner = await world.agent({ endpoints: ENDPOINTS });
    }, 600_000);
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      await daemon?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    });
    beforeEach(start, 120_000);
    afterEach(async () => {
      host.kill('SIGTERM');
      await host.exited;
      // The volumes of unfinished runs may stay, and these are none.
      expect(existsSync(`/run/svc-runner/${instance()}`)).toBe(false);
    }, 60_000);

    async function start(): Promise<void> {
      const engines = ['--engine', engine, ...(daemon ? ['--docker-host', daemon.dockerHost] : [])];
      const image = ['--image', imageFolder];
      const args = ['agent', '--json', '--runner', 'container', '--state-dir', join(folder.path, 'state')];
      host = startSvc([...args, ...engines, ...image], {
        cwd: folder.path,
        env: { SVC_TOKEN: token, SVC_BASE_URL: proxy.url.href },
      });
      await new Lines(host.stdout).find(/"event":"connected"/);
    }

    function own(): string {
      const [lock = ''] = [...new Bun.Glob('*/*/lock').scanSync(join(folder.path, 'state'))];
      return join(folder.path, 'state', dirname(lock));
    }

    function instance(): string {
      return instanceOf(join(own(), 'containers'));
    }

    /** Everything that this host keeps of what commands left. */
    function left(): string[] {
      const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`/run/svc-runner/${instance()}/outputs/`));
      const files = ['containers/outputs', 'output-patterns']
        .map((name) => join(own(), name))
        .flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
      return [...mounts, ...files];
    }

    const nothingLeft = () => until(() => left().length === 0);

    async function begun(slug: string): Promise<string> {
      return ((await (await world.call(slug, LATER)).json()) as { execution_id: string }).execution_id;
    }

    async function ended(id: string) {
      await (await world.manage(`/executions/${id}/stream`)).text();
      const record = (await (await world.manage(`/executions/${id}`)).json()) as Record<string, string>;
      const { items } = (await (await world.manage(`/executions/${id}/artifacts`)).json()) as {
        items: Item[];
      };
      return { status: record.status, output: record.output ?? '', items };
    }

    function expectBuilt({ status, output, items }: Awaited<ReturnType<typeof ended>>): void {
      const [path, sum = ''] = output.split('\n');
      expect([status, path]).toEqual(['succeeded', '/output']);
      expect(items).toMatchObject([
        { name: 'a', state: 'stored', size: 1 },
        { name: 'big', state: 'stored', size: BYTES, sha256: sum.slice(0, 64) },
        { name: 'link', state: 'missing', reason: 'it is a symbolic link' },
      ]);
    }

    test('is kept at the hub when the execution ends, and then gone; it has its own size', async () => {
      expectBuilt(await ended(await begun('build')));
      const { output, items } = await ended(await begun('full'));
      expect(output).toContain('full\n');
      expect(items.find(({ name }) => name === 'fits')).toMatchObject({ state: 'stored' });
      await nothingLeft();
    }, 120_000);

    test('is sent by the next process of a host that was killed in the middle of an upload', async () => {
      const isHeld = proxy.holdAfter(4 * MIB);
      const id = await begun('build');
      await isHeld;
      host.kill('SIGKILL');
      await host.exited;
      proxy.letGo();
      expect(left().length).toBeGreaterThan(0);
      await start();
      expectBuilt(await ended(id));
      await nothingLeft();
    }, 180_000);

    test('of a command whose host was killed is gone after the next start, and the list says so', async () => {
      const id = await begun('idle');
      await until(async () => {
        const record = (await (await world.manage(`/executions/${id}`)).json()) as { output?: string };
        return record.output?.includes('begun') === true;
      });
      host.kill('SIGKILL');
      await host.exited;
      await start();
      const { status, items } = await ended(id);
      expect([status, items]).toMatchObject([
        'lost',
        [
          {
            name: 'the output folder',
            state: 'missing',
            reason: 'the agent was stopped while the command ran',
          },
        ],
      ]);
      await nothingLeft();
    }, 180_000);
  });
}
