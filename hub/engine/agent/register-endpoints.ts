import { hash } from 'node:crypto';
import { isNarrowed } from '@svc/core/approval/may-decide';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import type { AnnouncedEndpoint } from '@svc/core/protocol/frame';
import { ignoredWarning, isBeyondCap } from '@svc/core/schedule/cap';
import type { Announced, RegisteredEndpoint } from '../ports/endpoints.ts';
import type { SchedulePorts } from '../ports/schedules.ts';
import type { Ports } from '../ports.ts';
import { secretWarnings } from '../secret/secret-warnings.ts';
import type { ReadDefinitions } from './read-definitions.ts';

/** What an agent is told of the endpoints that it announced. */
export interface Registered {
  readonly registered: readonly RegisteredEndpoint[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

export type RegisterPorts = Pick<Ports, 'secrets' | 'endpoints' | 'accounts' | 'clock'> &
  SchedulePorts & { readonly definitions: ReadDefinitions };

/** Makes what the agent name has in the workspace equal to what it announces (decisions 28, 31 and 33). */
export async function registerEndpoints(
  { endpoints, clock, definitions, ...ports }: RegisterPorts,
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
    warnings: [
      ...registered.flatMap(({ endpoint }) => warningsFor(endpoint)),
      ...(await scheduleWarnings(ports, agent.workspaceId, registered)),
      ...(await secretWarnings(ports, agent, registered)),
    ],
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

/** Of the schedules beyond the cap of the plan: the others of the workspace were registered earlier (reference 8). */
async function scheduleWarnings(
  { accounts, schedules }: Pick<Ports, 'accounts'> & SchedulePorts,
  workspaceId: string,
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  const slugs = new Map(registered.map(({ id, endpoint }) => [id, endpoint.slug]));
  if (registered.every(({ endpoint }) => endpoint.schedule === undefined)) return [];
  const plan = (await accounts.workspaceById(workspaceId))?.plan;
  if (plan === undefined) return [];
  return (await schedules.ofWorkspace(workspaceId)).flatMap(({ endpointId, earlier }) => {
    const slug = slugs.get(endpointId);
    return slug === undefined || !isBeyondCap(earlier, plan) ? [] : [ignoredWarning(slug, plan)];
  });
}

/** Callers are answered with the link (reference 4.5); of a public endpoint that is anybody. */
function warningsFor(endpoint: RegisteredEndpoint['endpoint']): string[] {
  const { slug, approvalRequired, public: isPublic } = endpoint;
  if (!approvalRequired || !isPublic || isNarrowed(endpoint)) return [];
  const why = 'whoever calls it gets the link on which it is approved';
  return [`"${slug}" is public and needs approval, and ${why}: name approvers, or set allow_self: false`];
}
