import type { AuditSource } from '@svc/core/audit/entry';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import { secretNameProblem, secretValueProblem } from '@svc/core/secret/secret';
import type { Clock, Vault } from '../platform/world.ts';
import type { Secret } from './secret-ports.ts';
import type { Secrets } from './store/secret-store.ts';

type SecretDeps = { readonly secrets: Secrets; readonly vault: Vault; readonly clock: Clock };

export interface NewSecret {
  readonly workspaceId: string;
  readonly name: string;
  readonly value: string;
  readonly agents: readonly string[] | undefined;
  /** The id of the user who sets the secret. */
  readonly setBy: string;
}

/** Creates a secret, or replaces the one with this name (decision 13, managed secrets). */
export async function setSecret(deps: SecretDeps, wanted: NewSecret, by: AuditSource): Promise<void> {
  const { workspaceId, name, value, agents, setBy } = wanted;
  const problem = secretNameProblem(name) ?? secretValueProblem(value);
  if (problem !== undefined) throw refuse('invalid_argument', problem);
  const isNew = (await deps.secrets.find(workspaceId, name)) === undefined;
  const atMs = deps.clock.nowMs();
  const sealed = deps.vault.seal(value, sealedFor(workspaceId, name));
  const times = { createdAtMs: atMs, updatedAtMs: atMs, grantedAtMs: atMs };
  const row = { workspaceId, name, sealed, agents, ...times, updatedBy: setBy };
  const isStored = await deps.secrets.set(row, LIMITS.secretsPerWorkspace, {
    ...by,
    workspaceId,
    atMs,
    action: 'secret.set',
    target: { kind: 'secret', id: name, name },
    details: { is_new: isNew, agents: agents ?? null },
  });
  if (!isStored) throw tooMany();
}

export async function deleteSecret(
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
  workspaceId: string,
  name: string,
  by: AuditSource,
): Promise<void> {
  const isDeleted = await secrets.remove(workspaceId, name, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'secret.deleted',
    target: { kind: 'secret', id: name, name },
    details: {},
  });
  if (!isDeleted) throw refuse('not_found', `there is no secret "${name}"`);
}

/** The context that a sealed value is bound to. The value does not open under another name or in another workspace. */
export function sealedFor(workspaceId: string, name: string) {
  return { workspaceId, kind: 'secret', id: name } as const;
}

/** The id of the key that seals the secret; it reveals nothing about the value. */
export function keyIdOf({ sealed }: Pick<Secret, 'sealed'>): string {
  return sealed.split('.')[1] ?? '';
}

function tooMany() {
  const limit = LIMITS.secretsPerWorkspace;
  return refuse('limit_reached', `a workspace has at most ${limit} secrets`, { limit });
}
