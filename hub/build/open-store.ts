import { join } from 'node:path';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { type EndpointOverrides, effectiveEndpoint } from '@svc/core/endpoint/managed/overrides';
import type { ReadDefinition } from '@svc/core/protocol/definition';
import type { HubConfig } from '../config.ts';
import type { EventStream } from '../platform/event-stream.ts';
import { RingVault } from '../platform/vault/envelope-vault.ts';
import { ReadDefinitions } from '../registrations/check-announced.ts';
import { createStore, type Store } from './create-store.ts';
import { derivedKeys, masterKeysOf } from './master-key.ts';

export interface StoreSurroundings {
  /** Shared with the checks of announced definitions. */
  readonly definitions?: ReadDefinitions;
  /** Called when the thread that writes to SQLite has died; the store starts another one. */
  readonly onWriterDeath?: (error: Error) => void;
  /** Called when the log of SQLite can no longer be copied into the file. */
  readonly onCheckpointFailure?: (reason: string) => void;
  /** Receives the events of each unit after its commit. */
  readonly events?: EventStream;
  /** Called once with the first error that shows damage. */
  readonly onDamage?: (reason: string) => void;
}

/** Rejects, and does not throw, when the master key cannot be read: the server already listens and must be stopped. */
export async function openStore(
  config: HubConfig,
  {
    definitions = new ReadDefinitions(),
    onWriterDeath,
    onCheckpointFailure,
    events,
    onDamage,
  }: StoreSurroundings = {},
): Promise<Store> {
  const { databaseUrl, dataDir } = config;
  const location =
    databaseUrl === undefined
      ? ({
          kind: 'sqlite',
          file: join(dataDir, 'svc.db'),
          ...(onWriterDeath && { onWriterDeath }),
          ...(onCheckpointFailure && { onCheckpointFailure }),
        } as const)
      : ({ kind: 'postgres', url: databaseUrl } as const);
  return await createStore(location, {
    ...(events && { events }),
    ...(onDamage && { onDamage }),
    vault: new RingVault(derivedKeys(masterKeysOf(config), 'vault')),
    endpointOf: (definition, overrides) => endpointOf(definitions, definition, overrides),
  });
}

/** Stored definitions were checked when they were stored, so one that cannot be read is a bug. */
function endpointOf(definitions: ReadDefinitions, text: string, overrides: EndpointOverrides): Endpoint {
  const definition = JSON.parse(text) as Record<string, unknown>;
  const endpoint =
    Object.keys(overrides).length > 0
      ? effectiveEndpoint(definition, overrides)
      : plainEndpoint(definitions.of(text, definition));
  if (endpoint === undefined) throw new Error(`a stored definition cannot be read: ${text}`);
  return endpoint;
}

function plainEndpoint(read: ReadDefinition): Endpoint | undefined {
  return read.kind === 'endpoint' ? read.endpoint : undefined;
}
