import { hash } from 'node:crypto';

/**
 * The id of an agent process as members see it. Its instance, by which it resumes its executions, is for the agent and the hub
 * alone (decision 58, agent tokens).
 */
export function shownProcess(instance: string): string {
  return hash('sha256', instance).slice(0, 16);
}
