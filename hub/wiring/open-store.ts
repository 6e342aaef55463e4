import { join } from 'node:path';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { effectiveEndpoint, type Overrides } from '@svc/core/endpoint/managed/overrides';
import type { HubConfig } from '../config.ts';
import { createStore, type Store } from '../store/create-store.ts';

/** @param onWriterDeath hears of the death of the thread that writes to SQLite; another one takes its place */
export function openStore(
  { databaseUrl, dataDir }: HubConfig,
  onWriterDeath?: (error: Error) => void,
): Promise<Store> {
  const location =
    databaseUrl === undefined
      ? ({ kind: 'sqlite', file: join(dataDir, 'svc.db'), ...(onWriterDeath && { onWriterDeath }) } as const)
      : ({ kind: 'postgres', url: databaseUrl } as const);
  return createStore(location, { endpointOf });
}

/** What is stored was checked when it was stored; that it cannot be read now is a bug. */
function endpointOf(definition: string, overrides: Overrides): Endpoint {
  const endpoint = effectiveEndpoint(JSON.parse(definition) as Record<string, unknown>, overrides);
  if (endpoint === undefined) throw new Error(`a stored definition cannot be read: ${definition}`);
  return endpoint;
}
