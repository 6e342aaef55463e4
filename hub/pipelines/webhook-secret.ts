import { managedSecretOf } from '@svc/core/pipeline/definition/trigger-secret';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { Vault } from '../platform/world.ts';
import { sealedFor } from '../secrets/manage-secrets.ts';
import type { Secret } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import type { RegisteredPipeline } from './pipeline-ports.ts';

/** The secret that signs the calls of a trigger; `missing`: the trigger names one that is unavailable, so no signature is valid. */
export type WebhookSecret =
  | { readonly kind: 'none' }
  | { readonly kind: 'secret'; readonly value: string }
  | { readonly kind: 'missing'; readonly problem: string };

/**
 * Resolves the secret that signs a pipeline's calls, also after a rotation of its managed secret (decision 43, calling a pipeline).
 */
export async function signingSecret(
  { vault, secrets }: { readonly vault: Vault; readonly secrets: Secrets },
  registered: RegisteredPipeline,
): Promise<WebhookSecret> {
  const { workspaceId, sealedSecret, pipeline } = registered;
  if (sealedSecret !== undefined)
    return { kind: 'secret', value: vault.open(sealedSecret, sealedTriggerSecret(registered)) };
  const name = managedSecretOf(pipeline.trigger.secret);
  if (name === undefined) return { kind: 'none' };
  const found = await secrets.find(workspaceId, name);
  const problem = signingProblem(registered, found);
  if (found === undefined || problem !== undefined) return { kind: 'missing', problem: problem ?? '' };
  return { kind: 'secret', value: vault.open(found.sealed, sealedFor(workspaceId, name)) };
}

/** Why the managed secret of a trigger cannot sign its calls. */
export function signingProblem(
  { source, registeredBy = '', pipeline }: Pick<RegisteredPipeline, 'source' | 'registeredBy' | 'pipeline'>,
  found: Pick<Secret, 'agents'> | undefined,
): string | undefined {
  const name = managedSecretOf(pipeline.trigger.secret);
  if (name === undefined) return undefined;
  if (found === undefined) return `the secret "${name}" is not set`;
  const isAllowed = source === 'api' || mayUseSecret(found.agents, registeredBy);
  return isAllowed ? undefined : `the secret "${name}" is not for the agent "${registeredBy}"`;
}

/** The context that a trigger's secret is sealed for; it does not open for another pipeline. */
export function sealedTriggerSecret({ id, workspaceId }: Pick<RegisteredPipeline, 'id' | 'workspaceId'>) {
  return { workspaceId, kind: 'trigger_secret', id } as const;
}
