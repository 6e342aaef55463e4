import type { AuditEntry } from '@svc/core/audit/entry';
import type { RegistrationPlan } from './plan-registration.ts';

/** The entry names only some slugs, because a file can have thousands; the versions have the details. */
const MAX_NAMED = 50;

/** The audit entry of a registration (decision 48); undefined: the registration changes nothing. */
export function registrationEntry(
  agent: { readonly workspaceId: string; readonly agentName: string; readonly nowMs: number },
  { endpoints, pipelines }: RegistrationPlan,
): AuditEntry | undefined {
  const add = [...endpoints.add, ...pipelines.add];
  const change = [...endpoints.change, ...pipelines.change];
  const remove = [...endpoints.remove, ...pipelines.remove];
  if (add.length + change.length + remove.length === 0) return undefined;
  return {
    workspaceId: agent.workspaceId,
    atMs: agent.nowMs,
    action: 'agent.registered',
    actor: { kind: 'agent', id: undefined, name: agent.agentName },
    from: { address: undefined, userAgent: undefined },
    target: { kind: 'agent', id: agent.agentName, name: agent.agentName },
    details: {
      added: named(add.map(({ slug }) => slug)),
      changed: named(change.map(({ to }) => to.slug)),
      removed: named(remove.map(({ slug }) => slug)),
    },
  };
}

function named(slugs: readonly string[]): readonly string[] {
  const more = slugs.length - MAX_NAMED;
  return more > 0 ? [...slugs.slice(0, MAX_NAMED), `and ${more} more`] : slugs;
}
