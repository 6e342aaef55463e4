import { hash } from 'node:crypto';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import type { AnnouncedEndpoint } from '@svc/core/protocol/frame';
import type { Announced, Ports, RegisteredEndpoint } from '../ports.ts';
import type { ReadDefinitions } from './read-definitions.ts';

/** What an agent is told of the endpoints that it announced. */
export interface Registered {
  readonly registered: readonly RegisteredEndpoint[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

export type RegisterPorts = Pick<Ports, 'endpoints' | 'clock'> & { readonly definitions: ReadDefinitions };

/** Makes what the agent name has in the workspace equal to what it announces (decisions 28, 31 and 33). */
export async function registerEndpoints(
  { endpoints, clock, definitions }: RegisterPorts,
  agent: { readonly workspaceId: string; readonly name: string },
  announced: readonly AnnouncedEndpoint[],
): Promise<Registered> {
  const checked = announced.map((one) => check(definitions, one));
  const sound = checked.flatMap((one) => ('announced' in one ? one.announced : []));
  const mistaken = checked.flatMap((one) => ('refused' in one ? one.refused : []));
  const { registered, refused } = await endpoints.register(
    agent.workspaceId,
    agent.name,
    sound,
    clock.nowMs(),
  );
  return {
    registered,
    refused: [...mistaken, ...refused],
    warnings: registered.flatMap(({ endpoint }) => warningsFor(endpoint)),
  };
}

type Checked = { readonly announced: Announced } | { readonly refused: { slug: string; reason: string } };

/** The hash is counted here: what it says is compared with what agents of a pool have (decision 31). */
function check(
  definitions: ReadDefinitions,
  { name, hash: announcedHash, definition }: AnnouncedEndpoint,
): Checked {
  const text = canonicalDefinition(definition);
  if (hash('sha256', text) !== announcedHash)
    return { refused: { slug: name, reason: 'the hash is of another definition' } };
  const read = definitions.of(text, definition);
  if (read.kind === 'problems')
    return { refused: { slug: name, reason: read.problems.join('; ').slice(0, 1000) } };
  if (read.endpoint.slug !== name)
    return { refused: { slug: name, reason: `the definition is of "${read.endpoint.slug}"` } };
  return { announced: { slug: name, definitionHash: announcedHash, definition: text } };
}

function warningsFor({
  slug,
  schedule,
  approvalRequired,
  callbackUrl,
}: RegisteredEndpoint['endpoint']): string[] {
  return [
    ...(schedule === undefined
      ? []
      : [`"${slug}": the schedule is ignored; this hub does not run schedules yet`]),
    ...(approvalRequired
      ? [`"${slug}" needs approval, which this hub cannot ask for yet: calls are refused`]
      : []),
    ...(callbackUrl === undefined
      ? []
      : [`"${slug}": callback_url is ignored; this hub calls nobody back yet`]),
  ];
}
