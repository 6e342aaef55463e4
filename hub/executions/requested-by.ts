import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Execution } from './execution-ports.ts';
import { ITS_SCHEDULE, requesterOf } from './requester.ts';

type Called = Pick<Execution, 'trigger' | 'callerKind' | 'callerId' | 'workspaceId'>;

/** The name of the caller, for people who look at an execution; a revoked key keeps its name. */
export async function requestedBy(
  ports: { readonly accounts: Accounts; readonly credentials: Credentials },
  { trigger, callerKind, callerId, workspaceId }: Called,
): Promise<string> {
  if (trigger === 'schedule') return ITS_SCHEDULE.name;
  if (trigger === 'pipeline') return 'a run of a pipeline';
  if (callerKind === 'anonymous') return 'somebody without a key';
  const { name } = await requesterOf(ports, {
    trigger,
    callerKind,
    callerId,
    from: undefined,
    target: { workspaceId },
  });
  return name;
}
