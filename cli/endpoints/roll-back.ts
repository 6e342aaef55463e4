import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import { Failure } from '../failure.ts';

type Version = Awaited<ReturnType<ApiClient['listEndpointVersions']>>['items'][number];
type Endpoint = Awaited<ReturnType<ApiClient['changeEndpoint']>>;

/**
 * Makes an earlier version the newest one, without a version: the one before the newest. The change is refused if the endpoint
 * changed meanwhile. For an endpoint from a file, only its overrides go back.
 */
export async function rollBack(
  api: ApiClient,
  name: string,
  wanted: number | undefined,
): Promise<{ readonly to: number; readonly endpoint: Endpoint }> {
  const versions = await allVersions(api, name);
  const [newest] = versions;
  const target = wanted === undefined ? versions[1] : versions.find(({ version }) => version === wanted);
  if (newest === undefined || target === undefined)
    throw new Failure(
      wanted === undefined ? `${name} has no earlier version` : `${name} has no version ${wanted}`,
      {
        tip: `svc endpoints versions ${name}`,
        code: 'not_found',
      },
    );
  const fields = newest.source === 'api' ? 'definition' : 'overrides';
  const changes = fieldChanges(newest[fields], target[fields]);
  if (fields === 'overrides' && Object.keys(changes).length === 0)
    throw new Failure(`version ${target.version} of ${name} differs only in the file of its agent`, {
      tip: 'change the file',
    });
  const body = { ...changes, version: newest.version } as RouteBodyOf<'changeEndpoint'>;
  return { to: target.version, endpoint: await api.changeEndpoint({ parameters: { name }, body }) };
}

async function allVersions(api: ApiClient, name: string): Promise<Version[]> {
  const all: Version[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listEndpointVersions({ parameters: { name }, query: { limit: 100, cursor } });
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** The fields that differ; null for those that the target does not have. */
export function fieldChanges(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names.filter((name) => !Bun.deepEquals(from[name], to[name])).map((name) => [name, to[name] ?? null]),
  );
}
