import type { Endpoint } from '@svc/core/endpoint/definition';
import { needsKnownRequester } from '@svc/core/endpoint/four-eyes';
import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { CallRequest } from './execution-ports.ts';

/** The caller's name for people, and the person behind the call, where one is known. */
export interface Requester {
  readonly name: string;
  readonly userId: string | undefined;
}

/** The requester of scheduled executions. */
export const ITS_SCHEDULE: Requester = { name: 'its schedule', userId: undefined };

/** Refuses an unknown caller where another person has to decide (decision 60, the file is a floor). */
export function refuseUnknownRequester(endpoint: Endpoint, { userId }: Requester): void {
  if (userId !== undefined || !needsKnownRequester(endpoint)) return;
  const why = `"${endpoint.slug}" has to be approved by another person than the caller (allow_self: false)`;
  throw refuse('unauthorized', `${why}: call it with an API key, so that the caller is known`);
}

type RequesterDeps = { readonly accounts: Accounts; readonly credentials: Credentials };

type RequestedCall = Pick<CallRequest, 'callerKind' | 'callerId' | 'from' | 'trigger'> & {
  readonly target: Pick<CallRequest['target'], 'workspaceId'>;
};

/** The caller of a pending call, for the people who decide on it. An AI agent is named as one, with the person it works for. */
export async function requesterOf(deps: RequesterDeps, call: RequestedCall): Promise<Requester> {
  const { name, userId } = await callerOf(deps, call);
  return { name: call.trigger === 'mcp' ? `an AI agent with ${name}` : name, userId };
}

async function callerOf({ accounts, credentials }: RequesterDeps, call: RequestedCall): Promise<Requester> {
  const { callerId, target, from } = call;
  switch (call.callerKind) {
    case 'anonymous':
      return { name: `somebody at ${from ?? 'an unknown address'}, without a key`, userId: undefined };
    case 'member': {
      const email = (await accounts.userById(callerId ?? ''))?.email;
      const name = email ?? 'a member';
      return { name: call.trigger === 'mcp' ? `an access token of ${name}` : name, userId: callerId };
    }
    case 'api_key': {
      const key = (await credentials.apiKeysOf(target.workspaceId)).find(({ id }) => id === callerId);
      if (key?.serviceAccountId !== undefined)
        return { name: `key "${key.name}" of a service account`, userId: key.createdBy };
      const maker = key && (await accounts.userById(key.createdBy));
      return { name: `key "${key?.name ?? '?'}" of ${maker?.email ?? '?'}`, userId: key?.createdBy };
    }
  }
}
