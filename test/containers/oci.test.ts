// Every rule and limit of a hosted container, with the engine that calls an OCI runtime directly (decision 49, the hosted
// runner).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ContainerWorld, containerWorld } from './container-world.ts';
import { inContainers, NO_CONTAINERS } from './machine.ts';
import { everyRule, SMALL } from './suite/every-rule.ts';

describe.skipIf(NO_CONTAINERS !== undefined)(inContainers('oci'), () => {
  let world: ContainerWorld;
  beforeAll(async () => {
    world = await containerWorld({ engine: 'oci', ...SMALL });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  everyRule(() => world);

  test('a hosted container has a user that does not exist on the host', async () => {
    const uids = /^\s*0\s+(\d+)\s+65536$/.exec(await world.output('cat /proc/self/uid_map'));
    expect(Number(uids?.[1])).toBeGreaterThan(65_536);
  });
});
