// A host with the docker engine: the engine stops, is killed, loses its image, or lies; the host is killed (decision 49,
// the hosted runner).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostContainers } from '../../agent/runner/container/host-containers.ts';
import { Transformer } from '../../agent/runner/transform/run-transform.ts';
import { failureOf } from '../../hub/platform/db/fixtures/failure-of.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { containerWorld, instanceOf } from './container-world.ts';
import { type DockerDaemon, dockerDaemon } from './docker-daemon.ts';
import { editingProxy } from './editing-proxy.ts';
import { containersOf, leftOf, processesOf } from './left.ts';
import { inContainers, NO_DOCKER, testImage } from './machine.ts';

const UNLIMITED = Object.fromEntries(
  ['/tmp', '/output', '/dev/shm', '/workspace'].map((path) => [path, 'mode=1777']),
);

describe.skipIf(NO_DOCKER !== undefined)(inContainers('a host with Docker', NO_DOCKER), () => {
  let daemon: DockerDaemon;
  let folder: TemporaryFolder;
  let imageFolder: string;
  beforeAll(async () => {
    daemon = await dockerDaemon();
    folder = await temporaryFolder();
    imageFolder = await testImage();
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const world = () => containerWorld({ engine: 'docker', dockerHost: daemon.dockerHost });
  const options = (different: object = {}) => ({
    engine: 'docker' as const,
    dockerHost: daemon.dockerHost,
    imageFolder,
    dataFolder: join(folder.path, crypto.randomUUID()),
    capacity: 2,
    transforms: new Transformer(),
    onTrouble: (cause: unknown) => console.error(cause),
    ...different,
  });
  const refusal = async (different: object) => (await failureOf(hostContainers(options(different)))).message;

  test('that is killed leaves containers which end by themselves, and nothing once it has started again', async () => {
    const dataFolder = join(folder.path, 'killed');
    const instance = instanceOf(dataFolder);
    const runId = crypto.randomUUID();
    mkdirSync(dataFolder);
    const program = join(import.meta.dir, 'host-process.ts');
    const killed = Bun.spawn([process.execPath, program, dataFolder, runId, daemon.dockerHost], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const { value } = await killed.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('ready\n');
    expect(processesOf(instance).length).toBeGreaterThanOrEqual(3);
    killed.kill('SIGKILL');
    await killed.exited;
    while (processesOf(instance).length > 0) await Bun.sleep(20);

    const runner = await hostContainers(options({ dataFolder }));
    expect(runner.volumes()).toEqual([runId]);
    await runner.endRun(runId);
    await runner[Symbol.asyncDispose]();
    expect(await daemon.containers()).toEqual([]);
    expect(containersOf({ instance }).groups).toEqual([]);
    expect(leftOf({ instance, dataFolder })).toEqual({ commands: 0, mounts: [], images: [] });
  }, 180_000);

  test('whose containers were left in any state removes its own at its start, and no other', async () => {
    const dataFolder = join(folder.path, 'left');
    const own = { 'svc.runner': instanceOf(dataFolder) };
    const left = [await daemon.make(own, 'created'), await daemon.make(own, 'paused')];
    const other = await daemon.make({ 'svc.runner': 'other' }, 'created');
    const runner = await hostContainers(options({ dataFolder }));
    const present = await daemon.containers();
    expect(left.filter((id) => present.includes(id))).toEqual([]);
    expect(present).toContain(other);
    await runner[Symbol.asyncDispose]();
    expect(await daemon.containers()).toEqual([other]);
    await daemon.remove(other);
  }, 180_000);

  test('continues when its engine is back: executions that ran are lost, and nothing of them is left', async () => {
    await using host = await world();
    const running = [host.start('echo up; sleep 600'), host.start('echo up; sleep 600')];
    for (const { sink } of running) await sink.seen('up');
    await daemon.stop();
    for (const { ended } of running) expect((await ended).kind).toBe('lost');
    const refused = await host.run('echo ran');
    expect(refused.ending).toMatchObject({ kind: 'not_started' });
    expect(JSON.stringify(refused.ending)).toContain('Docker does not answer');
    await daemon.start();
    expect(await host.output('echo here again')).toBe('here again');
    while (processesOf(host.instance).some(isSleep)) await Bun.sleep(20);
  }, 180_000);

  test('imports its image again after it was removed', async () => {
    await using host = await world();
    await daemon.untagImages();
    const all = await Promise.all(Array.from({ length: 5 }, () => host.output('echo there')));
    expect(all).toEqual(Array(5).fill('there'));
  }, 180_000);

  test('reports that nothing listens, that the engine is too old, and that a remote engine is not supported', async () => {
    const socket = `unix://${folder.path}/nobody.sock`;
    expect(await refusal({ dockerHost: socket })).toContain('nobody.sock');
    expect(await refusal({ dockerHost: 'tcp://192.0.2.1:2375' })).toContain('on this machine');
    using old = Bun.serve({
      unix: `${folder.path}/old.sock`,
      fetch: () => new Response('OK', { headers: { 'Api-Version': '1.24' } }),
    });
    expect(old.port).toBeUndefined();
    expect(await refusal({ dockerHost: `unix://${folder.path}/old.sock` })).toContain('"1.24"');
  });

  test('reports an invalid image', async () => {
    const broken = join(folder.path, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'image.tar'), 'no tar at all, not even a short one');
    const file = { recipe: 'x', digest: 'd'.repeat(64), bytes: 35, built_at: '' };
    writeFileSync(join(broken, 'image.json'), JSON.stringify(file));
    expect(await refusal({ imageFolder: broken })).toContain('cannot be imported');
  });

  test.each([
    { without: 'a limit of processes', edit: { PidsLimit: 0 }, problem: 'processes' },
    {
      without: 'a filter of system calls',
      edit: { SecurityOpt: ['seccomp=unconfined'] },
      problem: 'filtered',
    },
    { without: 'a limit of /tmp', edit: { Tmpfs: UNLIMITED }, problem: '/tmp has' },
    {
      without: 'a root that is read-only',
      edit: { ReadonlyRootfs: false, User: '0:0' },
      problem: 'writable',
    },
  ])(
    'whose engine would run without $without does not serve, and reports it',
    async ({ edit, problem }) => {
      // Like an engine that warns and continues: it accepts the configuration and leaves a part of it out.
      await using proxy = await editingProxy(join(folder.path, crypto.randomUUID()), daemon.socket, edit);
      expect(await refusal({ dockerHost: `unix://${proxy.socket}` })).toContain(problem);
    },
    60_000,
  );
});

function isSleep(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1') === 'sleep\n';
  } catch {
    // It has ended.
    return false;
  }
}
