import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { DecisionState, GrantKind } from '@svc/core/secret/grant';
import { shownProcess } from '../agents/shown-process.ts';
import type { Clock } from '../platform/world.ts';
import { type GrantDeps, grantFacts, grantsOf, type SecretGrant } from './list-grants.ts';

export type DecideGrantDeps = GrantDeps & { readonly clock: Clock };

/** An admin's decision about the use of a secret. */
export interface GrantDecisionRequest {
  readonly workspaceId: string;
  readonly secret: string;
  readonly kind: GrantKind;
  /** The id of the subject as the list of grants shows it. */
  readonly shownId: string;
  readonly state: DecisionState;
  readonly decidedBy: string;
}

/** The id of a subject as shown to members. */
export function shownSubject({ kind, subjectId }: SecretGrant): string {
  return kind === 'process' ? shownProcess(subjectId) : subjectId;
}

/**
 * Allows or refuses the use of a secret and adds an entry to the audit log. The last decision counts.
 *
 * @throws `not_found` when the secret does not exist, or no subject that uses it has this id
 */
export async function decideGrant(
  deps: DecideGrantDeps,
  wanted: GrantDecisionRequest,
  by: AuditSource,
): Promise<SecretGrant> {
  const { workspaceId, secret, kind, shownId, state, decidedBy } = wanted;
  const grant = grantsOf(await grantFacts(deps, workspaceId)).find(
    (one) => one.secret === secret && one.kind === kind && shownSubject(one) === shownId,
  );
  if (grant === undefined) throw notFound(secret);
  const { subjectId, who, question } = grant;
  const atMs = deps.clock.nowMs();
  const decision = { secret, kind, subjectId, state, decidedBy, decidedAtMs: atMs };
  const isStored = await deps.secrets.decide(
    { ...decision, workspaceId },
    {
      ...by,
      workspaceId,
      atMs,
      action: state === 'allowed' ? 'secret.allowed' : 'secret.refused',
      target: { kind: 'secret', id: secret, name: secret },
      details: { kind, subject: who, subject_id: shownId, question },
    },
  );
  if (!isStored) throw notFound(secret);
  return { ...grant, state, decision };
}

function notFound(secret: string) {
  return refuse(
    'not_found',
    `no token, process or endpoint with this id uses a secret "${secret}": GET /secret-grants lists the ids`,
  );
}
