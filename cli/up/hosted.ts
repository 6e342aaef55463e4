import { join } from 'node:path';
import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { connectContainerHost } from '@svc/agent/host';
import type { RunningHub } from '@svc/hub/main';
import { defaultCapacity, imageFolder } from '../agent/host-options.ts';
import { shortageRow } from '../agent/shortage-row.ts';
import { VERSION } from '../version.ts';

/** A host of the hosted runner on this machine, or the reason why there is none. */
export type UpHost =
  | { readonly kind: 'host'; readonly host: ConnectedAgent; readonly capacity: number }
  | { readonly kind: 'none'; readonly reason: string };

interface UpHostOptions {
  readonly hub: RunningHub;
  readonly dataDir: string;
  /** The address that the folder of its state is named after. */
  readonly stateUrl: URL;
  readonly onTrouble: (message: string) => void;
}

/** Starts a host of the hosted runner. `svc up` works without one on a machine that cannot run containers. */
export async function hostOf({ hub, dataDir, stateUrl, onTrouble }: UpHostOptions): Promise<UpHost> {
  const capacity = defaultCapacity();
  try {
    const host = await connectContainerHost({
      baseUrl: new URL(hub.localUrl),
      stateUrl,
      token: await hub.runnerToken(),
      capacity,
      dockerHost: process.env.DOCKER_HOST,
      imageFolder: imageFolder(undefined, { ...process.env, SVC_DATA_DIR: dataDir }),
      stateFolder: join(dataDir, 'host'),
      version: VERSION,
      environment: process.env,
      onEvent: (event) => {
        if (event.kind === 'trouble') onTrouble(event.message);
        if (event.kind === 'shortage' || event.kind === 'shortage_over') onTrouble(shortageRow(event).text);
      },
    });
    return { kind: 'host', host, capacity };
  } catch (error) {
    const [reason = 'unknown error'] = (error as Error).message.split('\n');
    return { kind: 'none', reason };
  }
}
