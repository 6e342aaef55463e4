// The files that hosted commands leave in /output, with real hosts and a real hub (decision 96, files of hosted commands).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TcpProxy } from '../../agent/link/fixtures/tcp-proxy.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { instanceOf } from './container-world.ts';
import { type DockerDaemon, dockerDaemon } from './docker-daemon.ts';
import { loopDevices, mountsBelow, namesIn } from './left.ts';
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
  {
    name: 'hostile',
    command:
      'cd /output; ln -s /etc/passwd file; ln -s / folder; ln -s /proc/1/environ environ; mkfifo pipe; mknod null c 1 3; ln /etc/passwd hard; echo own > own',
    ...hosted,
  },
  { name: 'idle', command: 'touch /output/a; sleep 600', timeout: 900, ...hosted },
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
      expect(left()).toEqual([]);
      expect(existsSync(`/run/svc-runner/${instance()}`)).toBe(false);
    }, 60_000);

    async function start(): Promise<void> {
      const args = ['agent', '--json', '--runner', 'container', '--state-dir', join(folder.path, 'state')];
      host = startSvc([...args, '--engine', engine, '--image', imageFolder], {
        cwd: folder.path,
        env: {
          SVC_TOKEN: token,
          SVC_BASE_URL: proxy.url.href,
          ...(daemon && { DOCKER_HOST: daemon.dockerHost }),
        },
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

    /** All volumes and patterns for `/output` that this host keeps. */
    function left(): string[] {
      const folders = [join(own(), 'containers/outputs'), join(own(), 'output-patterns')];
      const mounts = mountsBelow(`/run/svc-runner/${instance()}/outputs`);
      return [...mounts, ...loopDevices(own()), ...folders.flatMap(namesIn)];
    }

    /** Settles when the host keeps nothing of any execution. Volumes that were made ahead have no id yet. */
    const nothingLeft = () =>
      until(() => namesIn(join(own(), 'output-patterns')).length === 0 && ids().length === 0);
    const ids = () =>
      namesIn(join(own(), 'containers/outputs')).filter((name) => !name.startsWith('prepared-'));

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

    async function expectBuilt(id: string): Promise<void> {
      const { status, output, items } = await ended(id);
      const [path, sum = ''] = output.split('\n');
      expect([status, path]).toEqual(['succeeded', '/output']);
      expect(items).toMatchObject([
        { name: 'a', state: 'stored', size: 1 },
        { name: 'big', state: 'stored', size: BYTES, sha256: sum.slice(0, 64) },
        { name: 'link', state: 'missing', reason: 'it is a symbolic link' },
      ]);
      const bytes = await (await world.manage(`/executions/${id}/artifacts/big`)).bytes();
      expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(sum.slice(0, 64));
    }

    test('is kept at the hub when the execution ends, and then gone; it has its own size', async () => {
      await expectBuilt(await begun('build'));
      const { output, items } = await ended(await begun('full'));
      expect(output).toContain('full\n');
      expect(items.find(({ name }) => name === 'fits')).toMatchObject({ state: 'stored' });
      await nothingLeft();
    }, 120_000);

    test('leads nowhere: no link is followed, no pipe and no device is read', async () => {
      const { items } = await ended(await begun('hostile'));
      expect(items.map(({ name, state, reason }) => [name, reason ?? state])).toEqual([
        ['environ', 'it is a symbolic link'],
        ['file', 'it is a symbolic link'],
        ['folder', 'it is a symbolic link'],
        ['own', 'stored'],
        ['pipe', 'it is not a regular file'],
      ]);
      await nothingLeft();
    }, 120_000);

    test('is sent by the next process of a host that was killed in the middle of an upload', async () => {
      const isHeld = proxy.holdAfter(4 * MIB);
      const id = await begun('build');
      await isHeld;
      host.kill('SIGKILL');
      await host.exited;
      proxy.letGo();
      expect(ids()).toEqual([`${id}.ext4`]);
      await start();
      await expectBuilt(id);
      await nothingLeft();
    }, 180_000);

    test('of a command whose host was killed is gone after the next start, and the list says so', async () => {
      const id = await begun('idle');
      const created = new Bun.Glob(`/run/svc-runner/${instance()}/outputs/*/workspace/a`);
      await until(() => [...created.scanSync({ absolute: true })].length > 0);
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
