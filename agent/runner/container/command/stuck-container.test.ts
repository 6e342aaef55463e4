import { expect, test } from 'bun:test';
import { CollectingSink } from '../../process/fixtures/collecting-sink.ts';
import { launchOf } from '../../process/fixtures/launch.ts';
import { ContainerRunner } from '../container-runner.ts';
import { EngineError } from '../engine.ts';
import { LocalEngine } from '../fixtures/local-engine.ts';
import { NO_VOLUMES } from '../fixtures/no-volumes.ts';
import type { Volumes } from '../workspace/volumes.ts';

const VOLUMES: Volumes = {
  ids: () => [],
  use: () => Promise.resolve({ folder: '/', release: () => {} }),
  end: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

test.each([undefined, 'run'])(
  'a command that has run counts as run, also where its container cannot be removed (%p)',
  async (runId) => {
    const engine = new LocalEngine();
    engine.stuck = new EngineError('the engine is gone');
    const troubles: unknown[] = [];
    const runner = new ContainerRunner({
      engine,
      volumes: VOLUMES,
      outputs: NO_VOLUMES,
      transforms: { run: () => Promise.reject(new Error('not in this test')) },
      capacity: 1,
      maxWaiting: 0,
      onTrouble: (cause) => troubles.push(cause),
    });
    const sink = new CollectingSink();
    const container = { vcpus: 1, memoryBytes: 1, network: false, runId };
    const { ended } = runner.start(launchOf(['echo', 'hi'], { container, cwd: '/' }), sink);
    expect(await ended).toMatchObject({ kind: 'exited', exitCode: 0 });
    await runner[Symbol.asyncDispose]();
    expect(troubles).toEqual([engine.stuck]);
  },
);
