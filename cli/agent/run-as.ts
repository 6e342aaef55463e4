import { readFileSync } from 'node:fs';
import type { CommandUser } from '@svc/agent/connect';
import { Failure } from '../failure.ts';

/**
 * The user of `--run-as` (decision 59, the agent's token stays with the agent), from the user database of the system.
 * Throws a `Failure` if there is none, or if this process may not start programs as another user.
 */
export function userOf(name: string | undefined): CommandUser | undefined {
  if (name === undefined) return undefined;
  if (process.geteuid?.() !== 0) throw new Failure(`--run-as ${name} needs root`);
  const user =
    userIn(usersOfFile(), ([first]) => first === name) ?? userIn(userFromDirectory(name), () => true);
  if (user === undefined) throw new Failure(`--run-as: user "${name}" does not exist`);
  if (user.uid === 0) throw new Failure(`--run-as ${name} is root: expected an ordinary user`);
  return user;
}

/** The user name of this process; without a name, its number. */
export function ownUserName(): string {
  const uid = String(process.geteuid?.());
  return userIn(usersOfFile(), ([, , number]) => number === uid)?.name ?? uid;
}

function usersOfFile(): string {
  return readFileSync('/etc/passwd', 'utf8');
}

/** A line of passwd(5): name, password, number, group, comment, home, shell. */
function userIn(passwd: string, matches: (fields: readonly string[]) => boolean): CommandUser | undefined {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  const fields = lines.find((line) => line.length >= 4 && matches(line));
  if (fields === undefined) return undefined;
  const [name = '', , uid, gid, , home = '/', shell = ''] = fields;
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' };
}

/** Users of a directory service, such as LDAP. */
function userFromDirectory(name: string): string {
  try {
    return Bun.spawnSync(['getent', 'passwd', '--', name]).stdout.toString();
  } catch {
    // Without getent the file has all users.
    return '';
  }
}
