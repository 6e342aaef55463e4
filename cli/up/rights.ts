import { chmodSync, statSync } from 'node:fs';
import type { CommandUser } from '@svc/agent/connect';
import { ownUserName } from '../agent/run-as.ts';

/**
 * The user of the commands of `svc up`, and whether that user can read its data (decision 59, the agent's token stays with
 * the agent).
 */
export interface Rights {
  readonly user: string;
  readonly isOwn: boolean;
  readonly canReadData: boolean;
}

/** Closes the data folder to other users if it is ours, and returns the rights of commands. */
export function rightsOfCommands(dataDir: string, runAs: CommandUser | undefined): Rights {
  const isClosed = closeToOthers(dataDir);
  if (runAs !== undefined) return { user: runAs.name, isOwn: false, canReadData: !isClosed };
  return { user: ownUserName(), isOwn: true, canReadData: true };
}

export function rightsText({ user, isOwn, canReadData }: Rights): string {
  if (isOwn)
    return `run as ${user}, like svc up, and can read its data; as root, use --run-as <user> to separate them`;
  return `run as ${user}, and ${canReadData ? 'can read the data folder; chmod 700 closes it' : 'cannot read the data folder'}`;
}

function closeToOthers(folder: string): boolean {
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) === 0) return true;
  if (uid !== process.geteuid?.()) return false;
  chmodSync(folder, 0o700);
  return true;
}
