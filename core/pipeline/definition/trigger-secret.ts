import { isSecretName } from '../../endpoint/secret-name.ts';

const PREFIX = '$svc:';
const LONGEST = 1_000;

/** The name of the managed secret that signs the calls of a trigger; undefined if the text is the secret itself. */
export function managedSecretOf(secret: string | undefined): string | undefined {
  return secret?.startsWith(PREFIX) ? secret.slice(PREFIX.length) : undefined;
}

/** Why a text cannot be the secret of a trigger. The clause never contains the text, unless the text is a name. */
export function triggerSecretProblem(secret: string, isFile: boolean): string | undefined {
  const name = managedSecretOf(secret);
  if (secret.length > LONGEST) return `at most ${LONGEST} characters expected`;
  if (secret.includes('\0')) return 'a text without NUL characters expected';
  if (name === undefined)
    return isFile ? 'a file is no place for a secret; a managed one expected, as $svc:NAME' : undefined;
  return isSecretName(name) ? undefined : `"${name}" cannot be the name of a managed secret`;
}
