import { refuse } from '../../refusal.ts';
import type { Endpoint } from '../definition.ts';
import type { EndpointChange, ManagedEndpoint } from './decide-endpoint.ts';

/**
 * The fields that a person who edits by a grant cannot change, by their wire names: who approves, on which machine the command
 * runs, what starts it without a caller, what AI agents may do with it, and where outcomes are sent (decision 87, rights per
 * endpoint).
 */
export const OWNER_FIELDS = {
  approval_required: 'approvalRequired',
  approval: 'approval',
  approvers: 'approvers',
  allow_self: 'allowSelf',
  approver_keys: 'approverKeys',
  agent_name: 'agentName',
  schedule: 'schedule',
  effects: 'effects',
  idempotent: 'idempotent',
  mcp: 'mcp',
  callback_url: 'callbackUrl',
} as const satisfies Readonly<Record<string, keyof Endpoint>>;

/**
 * Refuses a change that is more than a grant of `edit` gives. A sent value that changes nothing is accepted, so that a client can
 * send back what it has read. An override of a file changes something also where the file says the same: the override stays
 * when the file changes.
 */
export function refuseBeyondGrant(before: ManagedEndpoint, after: EndpointChange): void {
  const field = Object.entries(OWNER_FIELDS).find(
    ([wire, key]) =>
      !isSame(before.endpoint[key], after.endpoint[key]) ||
      !isSame(before.overrides[wire], after.overrides[wire]),
  );
  if (field !== undefined)
    throw refuse('forbidden', `"${field[0]}" is more than a grant gives: an owner or admin changes it`);
  const known = before.endpoint.program.secrets;
  const secret = after.endpoint.program.secrets.find((name) => !known.includes(name));
  if (secret !== undefined)
    throw refuse('forbidden', `the secret "${secret}" is new here: an owner or admin adds it`);
}

/** Whether two values of a field are the same: texts, flags, or lists of texts. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
