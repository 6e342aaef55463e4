import { readFileSync } from 'node:fs';
import type { CommandUser } from '@svc/agent/connect';
import { Failure } from '../failure.ts';

/**
 * The user whom `--run-as` names (decision 59), from the user database of the system. Throws a `Failure` where there is none,
 * or where this process may not start programs as another user.
 */
export function userOf(name: string | undefined): CommandUser | undefined {
  if (name === undefined) return undefined;
  if (process.geteuid?.() !== 0)
    throw new Failure(`--run-as ${name} needs root: no other user can start commands as ${name}`);
  const user = userIn(usersOfFile(), ([first]) => first === name) ?? userIn(asked(name), () => true);
  if (user === undefined) throw new Failure(`--run-as: this machine has no user "${name}"`);
  if (user.uid === 0)
    throw new Failure(`--run-as ${name} is root, as the agent is: an ordinary user is expected`);
  return user;
}

/** The name of the user that this process has; its number where it has no name. */
export function ownUserName(): string {
  const uid = String(process.geteuid?.());
  return userIn(usersOfFile(), ([, , number]) => number === uid)?.name ?? uid;
}

function usersOfFile(): string {
  return readFileSync('/etc/passwd', 'utf8');
}

/** A line of passwd(5): name, password, number, group, comment, home, shell. */
function userIn(passwd: string, isMeant: (fields: readonly string[]) => boolean): CommandUser | undefined {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  const fields = lines.find((line) => line.length >= 4 && isMeant(line));
  if (fields === undefined) return undefined;
  const [name = '', , uid, gid, , home = '/', shell = ''] = fields;
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' };
}

/** Users of a directory service, such as LDAP. */
function asked(name: string): string {
  try {
    return Bun.spawnSync(['getent', 'passwd', '--', name]).stdout.toString();
  } catch {
    // There is no such program: the file has all users.
    return '';
  }
}
