import type { Program } from '@svc/core/endpoint/program';
import { utf8Length } from '@svc/core/endpoint/value/utf8-length';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal, refuse } from '@svc/core/refusal';
import type { SecretTerms } from '@svc/core/secret/grant';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Vault } from '../platform/world.ts';
import { sealedFor } from '../secrets/manage-secrets.ts';
import type { Secret } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { exposureRefusal, grantRefusal, holderRefusal, type SecretUser, termsOf } from './secret-terms.ts';

type Values = Readonly<Record<string, string>>;

/** The opened secrets of a command, ready to send with an execution to an agent process that may have them. */
export interface CommandSecrets {
  readonly values: Values;
  /** Why this process may not have the secrets; undefined: it may. */
  refusalFor(process: AgentProcess): Refusal | undefined;
  /** Why no agent with this name may have the secrets; it considers only names. */
  refusalForName(agentName: string): Refusal | undefined;
  readonly mayHave: (process: AgentProcess) => boolean;
}

const NONE: CommandSecrets = {
  values: {},
  refusalFor: () => undefined,
  refusalForName: () => undefined,
  mayHave: () => true,
};

/** The secrets of a hosted command: those that the hosted runner may have, on any host. */
export function secretsForHost(values: Values): CommandSecrets {
  return { ...NONE, values };
}

/** A command, and the endpoint that it belongs to; undefined when that was deleted. */
export interface SecretUse {
  readonly workspaceId: string;
  readonly program: Pick<Program, 'secrets'>;
  readonly user: SecretUser | undefined;
}

/** The current command of an endpoint. */
export function useOf(target: RegisteredEndpoint): SecretUse {
  return { workspaceId: target.workspaceId, program: target.endpoint.program, user: target };
}

/**
 * Opens the managed secrets that a command names, and no others (decision 13, managed secrets).
 *
 * @throws `secret_not_set` with the names of all missing secrets, `secret_not_allowed` when the endpoint waits for an admin
 */
export function commandSecrets(
  deps: { readonly secrets: Secrets; readonly vault: Vault },
  use: SecretUse,
): CommandSecrets | Promise<CommandSecrets> {
  // Most commands name no secrets; their calls skip the query.
  return use.program.secrets.length === 0 ? NONE : opened(deps, use);
}

async function opened(
  { secrets, vault }: { readonly secrets: Secrets; readonly vault: Vault },
  { workspaceId, program: { secrets: names }, user }: SecretUse,
): Promise<CommandSecrets> {
  const [decisions, ...found] = await Promise.all([
    secrets.decisions(workspaceId),
    ...names.map((name) => secrets.find(workspaceId, name)),
  ]);
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw notSet(missing);
  const all = found.filter((one) => one !== undefined);
  const terms = all.map((secret) => termsOf(secret, decisions));
  const waiting = user && firstOf(terms, (secret) => exposureRefusal(secret, user));
  if (waiting !== undefined) throw waiting;
  const refusalFor = (process: AgentProcess) => firstOf(terms, (secret) => holderRefusal(secret, process));
  return {
    values: openSecrets(vault, all),
    refusalFor,
    refusalForName(agentName) {
      const foreign = all.find(({ agents }) => !mayUseSecret(agents, agentName));
      return foreign && grantRefusal({ kind: 'foreign' }, foreign.name, agentName);
    },
    mayHave: (process) => refusalFor(process) === undefined,
  };
}

/** Returns the test for processes that may have the endpoint's secrets. It accepts all when another refusal stops the call. */
export async function mayHaveSecrets(
  deps: { readonly secrets: Secrets; readonly vault: Vault },
  target: RegisteredEndpoint,
): Promise<CommandSecrets['mayHave']> {
  try {
    return (await commandSecrets(deps, useOf(target))).mayHave;
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'unavailable') return NONE.mayHave;
    throw error;
  }
}

function firstOf(
  terms: readonly SecretTerms[],
  refusalOf: (secret: SecretTerms) => Refusal | undefined,
): Refusal | undefined {
  for (const secret of terms) {
    const refusal = refusalOf(secret);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The values by name. Throws when they do not fit into a frame or an environment. */
export function openSecrets(vault: Vault, secrets: readonly Secret[]): Values {
  const values = Object.fromEntries(secrets.map((secret) => [secret.name, plainOf(vault, secret)]));
  refuseTooLong(values);
  return values;
}

function plainOf(vault: Vault, { workspaceId, name, sealed }: Secret): string {
  try {
    return vault.open(sealed, sealedFor(workspaceId, name));
  } catch {
    const message = `the secret "${name}" was set under another master key of the hub and cannot be opened: set it again`;
    throw refuse('secret_not_set', message, { secrets: [name] });
  }
}

function notSet(names: readonly string[]): Refusal {
  const list = names.map((name) => `"${name}"`).join(', ');
  const text = names.length === 1 ? `the secret ${list} is not set` : `the secrets ${list} are not set`;
  return refuse('secret_not_set', text, { secrets: names });
}

/** The largest total size that fits into a frame and an environment. */
function refuseTooLong(values: Values): void {
  const bytes = Object.values(values).reduce((sum, value) => sum + utf8Length(value), 0);
  if (bytes <= LIMITS.valuesTotalBytes) return;
  const message = `the secrets of this command have more than ${LIMITS.valuesTotalBytes} bytes together`;
  throw refuse('payload_too_large', message);
}
