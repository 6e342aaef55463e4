import { hash } from 'node:crypto';

/**
 * The id of an agent process as shown to members. The instance id lets an agent resume executions, so only the agent and the hub
 * see it (decision 58, agent tokens).
 */
export function shownProcess(instance: string): string {
  return hash('sha256', instance).slice(0, 16);
}
