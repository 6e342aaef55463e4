import type { AuditEntry } from '@svc/core/audit/entry';
import type { RegistrationPlan } from './plan-registration.ts';

/** A file can have thousands of endpoints and pipelines; the versions of each say what was in it. */
const MOST_NAMED = 50;

/** What the audit log has of a registration that changes something; undefined: it changes nothing (decision 48). */
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
  const more = slugs.length - MOST_NAMED;
  return more > 0 ? [...slugs.slice(0, MOST_NAMED), `and ${more} more`] : slugs;
}
