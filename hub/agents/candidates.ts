import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';

/** `default` means the agent of that name, else the only connected agent (decision 31, which agent runs an endpoint). */
const DEFAULT_NAME = 'default';

/** The name of the agent that an endpoint is for. */
export function agentNameOf({
  endpoint,
  registeredBy,
}: Pick<RegisteredEndpoint, 'endpoint' | 'registeredBy'>): string {
  return endpoint.agentName ?? registeredBy ?? DEFAULT_NAME;
}

/** The connected processes that may run an endpoint. */
export function candidates<One>(
  target: Pick<RegisteredEndpoint, 'endpoint' | 'registeredBy'>,
  connected: Iterable<One>,
  nameOf: (one: One) => string,
): One[] {
  const name = agentNameOf(target);
  const all = [...connected];
  const named = all.filter((one) => nameOf(one) === name);
  if (named.length > 0 || name !== DEFAULT_NAME) return named;
  return new Set(all.map(nameOf)).size === 1 ? all : [];
}
