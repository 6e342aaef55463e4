import { LINK_LIMITS } from './limits.ts';

/** The name under which hosted runners run; nobody's agent has it (decision 28). */
export const HOSTED_AGENT = 'hosted';

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Whether a text can be the name of an agent (decision 28). */
export function isAgentName(text: string): boolean {
  return AGENT_NAME.test(text) && text.length <= LINK_LIMITS.agentNameChars;
}
