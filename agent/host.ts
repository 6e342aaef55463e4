import { type ConnectHostOptions, connectHost } from './connect-host.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { EngineError } from './runner/container/engine.ts';
import { hostContainers } from './runner/container/host-containers.ts';
import type { EngineOptions } from './runner/container/open-engine.ts';
import { Transformer } from './runner/transform/run-transform.ts';

export interface ContainerHostOptions extends Omit<ConnectHostOptions, 'runnerIn'>, EngineOptions {
  /** The number of commands that run at a time. */
  readonly capacity: number;
  /** The most containers that are started ahead; default: as many as a twentieth of the memory holds. */
  readonly maxWaiting?: number | undefined;
}

/**
 * Connects to a hub as a host that runs commands in containers of this machine. Rejects if the machine cannot create them
 * or would not enforce their rules; `isEngineProblem` recognizes that error.
 */
export async function connectContainerHost(options: ContainerHostOptions): Promise<ConnectedAgent> {
  const { imageFolder, capacity, maxWaiting, engine, onEvent } = options;
  const { runtime, networkNamespace, dockerHost, dockerNetwork } = options;
  const transforms = new Transformer();
  const onTrouble = (cause: unknown) => onEvent({ kind: 'trouble', message: 'a container failed', cause });
  const engines = { engine, imageFolder, runtime, networkNamespace, dockerHost, dockerNetwork };
  const containers = { ...engines, capacity, maxWaiting, transforms, onTrouble };
  try {
    const host = await connectHost({
      ...options,
      runnerIn: (dataFolder) => hostContainers({ ...containers, dataFolder }),
    });
    return endingWith(host, transforms);
  } catch (error) {
    await transforms[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether this machine has no engine, or none that enforces the rules. The message gives the reason. */
export function isEngineProblem(error: unknown): error is Error {
  return error instanceof EngineError;
}

function endingWith(host: ConnectedAgent, resource: AsyncDisposable): ConnectedAgent {
  let ended: Promise<void> | undefined;
  const after = async (stopped: Promise<void>) => {
    await stopped;
    ended ??= Promise.resolve(resource[Symbol.asyncDispose]());
    await ended;
  };
  return {
    refused: host.refused,
    running: () => host.running(),
    stop: () => after(host.stop()),
    stopNow: () => after(host.stopNow()),
  };
}
