// A host of containers as a process of its own, to be killed: `bun test/containers/host-process.ts <data folder> <run>`, and
// what DOCKER_HOST would say for the docker engine. It prints a line when one command runs alone, one in the volume of a
// pipeline run, and a container waits.
import { hostContainers } from '../../agent/runner/container/host-containers.ts';
import { CollectingSink } from '../../agent/runner/process/fixtures/collecting-sink.ts';
import { Transformer } from '../../agent/runner/transform/run-transform.ts';
import { instanceOf, TERMS } from './container-world.ts';
import { readyOf } from './left.ts';
import { testImage } from './machine.ts';

const [, , dataFolder = '', runId = '', dockerHost] = process.argv;
const runner = await hostContainers({
  ...(dockerHost === undefined ? { engine: 'oci' } : { engine: 'docker', dockerHost }),
  imageFolder: await testImage(),
  dataFolder,
  capacity: 20,
  volumeBytes: 64 * 1024 * 1024,
  transforms: new Transformer(),
  onTrouble: console.error,
});
for (const container of [TERMS, { ...TERMS, runId }]) {
  const sink = new CollectingSink();
  const text = 'trap "" TERM HUP; echo kept > kept; setsid sleep 600 & echo up; sleep 600';
  runner.start(
    {
      executionId: crypto.randomUUID(),
      argv: ['/bin/bash', '-c', text],
      inherited: { PATH: '/usr/bin:/bin' },
      env: {},
      cwd: '/workspace',
      timeoutMs: 600_000,
      output: 'raw',
      masks: [],
      container,
    },
    sink,
  );
  await sink.seen('up');
}
while (readyOf(instanceOf(dataFolder)) < 3) await Bun.sleep(20);
console.log('ready');
