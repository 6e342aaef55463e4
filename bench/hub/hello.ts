import { hash } from 'node:crypto';
import { parseConfig } from '@svc/core/config/parse-config';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { definitionOf } from '@svc/core/protocol/definition';
import type { AgentFrameOf } from '@svc/core/protocol/frame';
import { PROTOCOL_VERSIONS } from '@svc/core/protocol/version';

type Hello = AgentFrameOf<'hello'>;

/** The endpoints of an agent with this file, as in its hello. */
export function announce(config: string): Hello['endpoints'] {
  const parsed = parseConfig(config);
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.endpoints.map((endpoint) => {
    const definition = definitionOf(endpoint);
    return { name: endpoint.slug, hash: hash('sha256', canonicalDefinition(definition)), definition };
  });
}

/** The first frame of an agent that runs nothing. */
export function hello(agent: string, endpoints: Hello['endpoints'], instance: string): Hello {
  return {
    type: 'hello',
    protocol: PROTOCOL_VERSIONS,
    agent,
    instance,
    boot: 'bench',
    process: crypto.randomUUID(),
    version: '0.0.0',
    host: { hostname: 'bench', os: 'linux', arch: 'x64' },
    local_only: false,
    revision: 1,
    endpoints,
    in_flight: [],
  };
}
