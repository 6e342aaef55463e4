// A host of containers that is killed, lacks something, or would not enforce what it promises (decision 49, the hosted
// runner).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostContainers } from '../../agent/runner/container/host-containers.ts';
import { Transformer } from '../../agent/runner/transform/run-transform.ts';
import { failureOf } from '../../hub/platform/db/fixtures/failure-of.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { type ContainerWorld, containerWorld, instanceOf } from './container-world.ts';
import { containersOf, leftOf, processesOf } from './left.ts';
import { inContainers, NO_CONTAINERS, testImage } from './machine.ts';

/** See statfs(2). */
const TMPFS_MAGIC = 0x01021994;

describe.skipIf(NO_CONTAINERS !== undefined)(inContainers('a host of containers'), () => {
  let folder: TemporaryFolder;
  let imageFolder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    imageFolder = await testImage();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const options = (different: object = {}) => ({
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
    const killed = Bun.spawn([process.execPath, program, dataFolder, runId], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const { value } = await killed.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('ready\n');
    const left = containersOf({ instance }).bundles;
    expect(left.length).toBeGreaterThanOrEqual(3);
    killed.kill('SIGKILL');
    await killed.exited;
    while (processesOf(instance).length > 0) await Bun.sleep(20);

    const runner = await hostContainers(options({ dataFolder }));
    const { bundles } = containersOf({ instance });
    expect(bundles.filter((id) => left.includes(id))).toEqual([]);
    // The run continues: its next step finds the files of the one before it.
    expect(runner.volumes()).toEqual([runId]);
    await runner.endRun(runId);
    await runner[Symbol.asyncDispose]();
    expect(containersOf({ instance })).toEqual({ groups: [], bundles: [] });
    expect(leftOf({ instance, dataFolder })).toEqual({ commands: 0, mounts: [], images: [] });
  }, 180_000);

  test('that is killed while its containers hang ends them when it starts again', async () => {
    const dataFolder = join(folder.path, 'hanging');
    const instance = instanceOf(dataFolder);
    mkdirSync(dataFolder);
    const program = join(import.meta.dir, 'host-process.ts');
    const killed = Bun.spawn([process.execPath, program, dataFolder, crypto.randomUUID()], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    await killed.stdout.getReader().read();
    const hanging = processesOf(instance);
    for (const pid of hanging) signal(pid, 'SIGSTOP');
    killed.kill('SIGKILL');
    await killed.exited;

    const runner = await hostContainers(options({ dataFolder, engine: 'oci' }));
    expect(processesOf(instance).filter((pid) => hanging.includes(pid))).toEqual([]);
    for (const runId of runner.volumes()) await runner.endRun(runId);
    await runner[Symbol.asyncDispose]();
    expect(containersOf({ instance })).toEqual({ groups: [], bundles: [] });
  }, 180_000);

  test('that is stopped ends running executions, and leaves nothing, in memory or on the disk, but the volumes of unfinished runs', async () => {
    await using world = await containerWorld({ volumeBytes: 64 * 1024 * 1024 });
    const { instance, dataFolder } = world;
    const runId = crypto.randomUUID();
    await world.output('echo x > x', { container: { runId } });
    const running = world.start('echo up; sleep 600');
    await running.sink.seen('up');
    const stateFolder = join('/run/svc-runner', instance);
    expect(statfsSync(stateFolder).type).toBe(TMPFS_MAGIC);
    await world.runner[Symbol.asyncDispose]();
    expect((await running.ended).kind).toBe('cancelled');
    expect(containersOf({ instance })).toEqual({ groups: [], bundles: [] });
    expect(existsSync(stateFolder)).toBe(false);
    expect(processesOf(instance)).toEqual([]);
    expect(leftOf({ instance, dataFolder })).toEqual({ commands: 0, mounts: [], images: [`${runId}.ext4`] });
  }, 180_000);

  test('a container that is killed while it waits, or runs, harms no other', async () => {
    await using world = await containerWorld();
    await killed(world, containersOf(world).bundles);
    expect(await world.output('echo fresh')).toBe('fresh');
    const running = world.start('echo up; sleep 600');
    await running.sink.seen('up');
    await killed(world, containersOf(world).bundles);
    expect(await running.ended).toMatchObject({ kind: 'lost' });
    expect(await world.output('echo fresh again')).toBe('fresh again');
  }, 180_000);

  test('says that there is no image, and how one is made', async () => {
    expect(await refusal({ imageFolder: folder.path })).toContain('svc admin runner-image build');
  });

  test('reports an invalid image', async () => {
    const broken = join(folder.path, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'image.tar'), 'no tar at all, not even a short one');
    const file = { recipe: 'x', digest: 'd'.repeat(64), bytes: 35, built_at: '' };
    writeFileSync(join(broken, 'image.json'), JSON.stringify(file));
    expect(await refusal({ imageFolder: broken })).toContain('cannot be unpacked');
  });

  test('says that it cannot make the workspace of a pipeline run, and does not serve', async () => {
    expect(await refusal({ engine: 'oci', volumeBytes: 4_096 })).toContain('mkfs.ext4');
  });

  test('says that there is no such runtime', async () => {
    expect(await refusal({ runtime: 'nosuchruntime' })).toContain('there is no program "nosuchruntime"');
  });

  test('says why its runtime starts nothing', async () => {
    const runtime = join(folder.path, 'broken-runtime');
    writeFileSync(runtime, '#!/bin/sh\necho "the runtime is out of order" >&2; exit 1\n', { mode: 0o755 });
    expect(await refusal({ runtime })).toContain('the runtime is out of order');
  });

  test.each([
    {
      without: 'the limit of processes',
      sed: 's/"pids":{"limit":256}/"pids":{"limit":0}/',
      problem: 'processes',
    },
    { without: 'a network of its own', sed: 's/,{"type":"network"}//', problem: 'network interface' },
    {
      without: 'a filter of system calls',
      sed: 's/"run.oci.seccomp_bpf_data":"[^"]*"//;s/"seccomp":{.*]}/"x":{}/',
      problem: 'filtered',
    },
  ])(
    'whose runtime would run without $without does not serve, and reports it',
    async ({ sed, problem }) => {
      const runtime = join(folder.path, `runtime-${crypto.randomUUID()}`);
      // Like an engine that warns and continues: it accepts the configuration and leaves a part of it out.
      const script = `#!/bin/sh
case "$*" in *" run "*) for bundle; do [ -f "$bundle/config.json" ] && sed -i '${sed}' "$bundle/config.json"; done;; esac
exec crun "$@"
`;
      writeFileSync(runtime, script, { mode: 0o755 });
      expect(await refusal({ runtime })).toContain(problem);
    },
    60_000,
  );
});

/** Settles when these containers are gone. One that is just being made has nothing yet that could be killed. */
async function killed(world: ContainerWorld, ids: readonly string[]): Promise<void> {
  while (containersOf(world).bundles.some((id) => ids.includes(id))) {
    for (const id of ids) killAll(`${world.instance}/${id}`);
    await Bun.sleep(20);
  }
}

function killAll(group: string): void {
  for (const pid of processesOf(group)) signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended: with a process 1 the others of its container are gone.
  }
}
