import type { Program } from '@svc/core/endpoint/command/program';
import { utf8Length } from '@svc/core/endpoint/value/utf8-length';
import { LIMITS } from '@svc/core/plan/limits';
import { type Refusal, refuse } from '@svc/core/refusal';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { Secret } from '../ports/secrets.ts';
import type { Vault } from '../ports/world.ts';
import type { Ports } from '../ports.ts';
import { sealedFor } from './manage-secrets.ts';

type Values = Readonly<Record<string, string>>;

/** The secrets that a command names, ready to be sent with an execution; for which agents they are is asked of them. */
export interface CommandSecrets {
  readonly values: Values;
  /** Why this agent may not have them; undefined when it may. */
  refusalFor(agentName: string): Refusal | undefined;
}

const NONE: CommandSecrets = { values: {}, refusalFor: () => undefined };

/**
 * Opens the managed secrets that a command names, and no others (decision 13).
 *
 * @throws `secret_not_set` with all that are missing
 */
export function commandSecrets(
  ports: Pick<Ports, 'secrets' | 'vault'>,
  workspaceId: string,
  program: Pick<Program, 'secrets'>,
): CommandSecrets | Promise<CommandSecrets> {
  // Most commands name none, and a call of theirs waits for nothing.
  return program.secrets.length === 0 ? NONE : opened(ports, workspaceId, program.secrets);
}

async function opened(
  { secrets, vault }: Pick<Ports, 'secrets' | 'vault'>,
  workspaceId: string,
  names: readonly string[],
): Promise<CommandSecrets> {
  const found = await Promise.all(names.map((name) => secrets.find(workspaceId, name)));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw notSet(missing);
  const all = found.filter((one) => one !== undefined);
  const values = openSecrets(vault, all);
  return {
    values,
    refusalFor(agentName) {
      const foreign = all.find(({ agents }) => !mayUseSecret(agents, agentName));
      return foreign && notAllowed(foreign.name, agentName);
    },
  };
}

/** Their values by name; refuses what no frame and no environment can hold. */
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

function notAllowed(name: string, agentName: string): Refusal {
  const message = `the secret "${name}" is not for the agent "${agentName}"`;
  return refuse('secret_not_allowed', message, { secret: name, agent: agentName });
}

/** A frame and an environment hold no more. */
function refuseTooLong(values: Values): void {
  const bytes = Object.values(values).reduce((sum, value) => sum + utf8Length(value), 0);
  if (bytes <= LIMITS.valuesTotalBytes) return;
  const message = `the secrets of this command have more than ${LIMITS.valuesTotalBytes} bytes together`;
  throw refuse('payload_too_large', message);
}
