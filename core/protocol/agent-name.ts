import { LINK_LIMITS } from './limits.ts';

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Whether a text can be the name of an agent (decision 28). */
export function isAgentName(text: string): boolean {
  return AGENT_NAME.test(text) && text.length <= LINK_LIMITS.agentNameChars;
}
