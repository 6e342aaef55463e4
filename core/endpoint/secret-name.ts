import { isForbiddenVariable } from './environment.ts';

/** The form of a managed secret's name (decision 13, managed secrets). */
export const SECRET_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Whether a text can be the name of a managed secret: the name of a variable, except those of decision 12, the environment
 * of a command (decision 13, managed secrets).
 */
export function isSecretName(text: string): boolean {
  return SECRET_NAME_PATTERN.test(text) && !isForbiddenVariable(text);
}

/** The environment variable that `$svc:NAME` becomes in shell mode (decision 13, managed secrets). */
export function secretVariable(name: string): string {
  return `SVC_SECRET_${name}`;
}
