import { isSecretName } from '../endpoint/secret-name.ts';
import { utf8Length } from '../endpoint/value/utf8-length.ts';
import { LIMITS } from '../plan/limits.ts';

/**
 * Why a text cannot be the name of a managed secret; undefined: it can (decision 12, the environment of a command, and
 * decision 13, managed secrets).
 */
export function secretNameProblem(name: string): string | undefined {
  if (isSecretName(name)) return undefined;
  return (
    `"${name}" cannot be the name of a secret: 1 to 64 letters, digits and "_", the first no digit, expected, and no ` +
    'variable that decides what a program loads or runs, such as PATH, LD_PRELOAD or SVC_TOKEN'
  );
}

/** Why a text cannot be the value of a secret. The message never contains the text. */
export function secretValueProblem(value: string): string | undefined {
  if (value === '') return 'value: a text that is not empty expected';
  // Neither environments nor arguments can hold a NUL character.
  if (value.includes('\0')) return 'value: a text without NUL characters expected';
  if (utf8Length(value) > LIMITS.secretBytes) return `value: at most ${LIMITS.secretBytes} bytes expected`;
  return undefined;
}

/**
 * Whether commands on this agent may have the secret. Without `agents`, all agents of the workspace may (decision 13,
 * managed secrets).
 */
export function mayUseSecret(agents: readonly string[] | undefined, agentName: string): boolean {
  return agents === undefined || agents.includes(agentName);
}
