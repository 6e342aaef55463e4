import { hostContainers } from '@svc/agent/runner/container/host-containers';
import type { HostedRunner } from '@svc/agent/runner/runner';
import { Transformer } from '@svc/agent/runner/transform/run-transform';
import { isReady } from './waiting.ts';
import { CAPACITY, LIMITS, timed, type Way } from './way.ts';

/** The runner of containers at its port, without an agent or a hub. */
export async function engineAlone(options: {
  readonly imageFolder: string;
  readonly dataFolder: string;
  readonly maxWaiting: number;
}): Promise<Way & AsyncDisposable> {
  const { dataFolder, maxWaiting } = options;
  const transforms = new Transformer();
  const onTrouble = (cause: unknown) => console.error(cause);
  const runner = await hostContainers({ ...options, capacity: CAPACITY, transforms, onTrouble });
  return {
    name: `the runner alone, ${maxWaiting > 0 ? 'warm' : 'cold'}`,
    once: () => timed(() => runTrue(runner)),
    isReady: () => isReady(dataFolder, maxWaiting),
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await transforms[Symbol.asyncDispose]();
    },
  };
}

async function runTrue(runner: HostedRunner): Promise<void> {
  const launch = {
    executionId: crypto.randomUUID(),
    argv: ['true'],
    inherited: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    env: {},
    cwd: '/workspace',
    timeoutMs: 60_000,
    output: 'events',
    masks: [],
    container: { ...LIMITS, network: false, runId: undefined },
  } as const;
  const ending = await runner.start(launch, { write() {} }).ended;
  if (ending.kind !== 'exited' || ending.exitCode !== 0) throw new Error(JSON.stringify(ending));
}
