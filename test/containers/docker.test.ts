// Every rule and limit of a hosted container, with the engine that speaks to Docker's socket (decision 49, the hosted
// runner).
import { afterAll, beforeAll, describe } from 'bun:test';
import { type ContainerWorld, containerWorld } from './container-world.ts';
import { type DockerDaemon, dockerDaemon } from './docker-daemon.ts';
import { inContainers, NO_DOCKER } from './machine.ts';
import { everyRule, SMALL } from './suite/every-rule.ts';

describe.skipIf(NO_DOCKER !== undefined)(inContainers('docker', NO_DOCKER), () => {
  let daemon: DockerDaemon;
  let world: ContainerWorld;
  beforeAll(async () => {
    daemon = await dockerDaemon();
    const { dockerHost, configurations } = daemon;
    const engine = { engine: 'docker', dockerHost, configurations } as const;
    world = await containerWorld({ ...engine, ...SMALL });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  everyRule(() => world);
});
