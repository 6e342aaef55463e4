import { join } from 'node:path';
import { Lines } from './lines.ts';
import { type ObjectStore, objectStore } from './object-store.ts';

/** A real S3 server behind a process that takes only encrypted objects, each with its key (SSE-C). */
export interface EncryptedObjectStore extends ObjectStore {
  /** The same server without that process, as it takes objects that are not encrypted. */
  readonly plain: ObjectStore['environment'];
  /** The requests that the store refused because their key was missing or wrong. */
  refused(): Promise<readonly string[]>;
}

/** For hubs that encrypt objects in the store with keys of their own. */
export async function encryptedObjectStore(): Promise<EncryptedObjectStore> {
  const store = await objectStore();
  const { SVC_S3_ENDPOINT: upstream = '' } = store.environment;
  const front = Bun.spawn([process.execPath, join(import.meta.dir, 'sse-c-front.ts'), upstream], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Lines(front.stdout).find(/^http:/);
  const environment = { ...store.environment, SVC_S3_ENDPOINT: origin, SVC_S3_ENCRYPTION: 'key' };
  return {
    environment,
    plain: store.environment,
    keys: () => store.keys(),
    refused: async () => (await (await fetch(`${origin}/-/refused`)).json()) as string[],
    async [Symbol.asyncDispose]() {
      front.kill('SIGKILL');
      await front.exited;
      await store[Symbol.asyncDispose]();
    },
  };
}
