import { LINK_LIMITS } from './limits.ts';

/** The name of hosted runners, which no other agent can have (decision 28, the connection of an agent). */
export const HOSTED_AGENT = 'hosted';

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Whether a text is a valid agent name (decision 28, the connection of an agent). */
export function isAgentName(text: string): boolean {
  return AGENT_NAME.test(text) && text.length <= LINK_LIMITS.agentNameChars;
}
