import type { Accounts } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import { type Requester, requesterOf } from '../../executions/requester.ts';
import type { PipelineRun } from './run-ports.ts';

type Caller = Pick<PipelineRun, 'workspaceId' | 'slug' | 'callerKind' | 'callerId'>;

/** The requester of a step for approvers: the caller who started the run. */
export async function runRequester(
  ports: { readonly accounts: Accounts; readonly credentials: Credentials },
  { workspaceId, slug, callerKind, callerId }: Caller,
): Promise<Requester> {
  if (callerKind === 'signature')
    return { name: `pipeline "${slug}", begun by a signed request`, userId: undefined };
  if (callerKind === 'anonymous')
    return { name: `pipeline "${slug}", begun by somebody without a key`, userId: undefined };
  const { name, userId } = await requesterOf(ports, {
    callerKind,
    callerId,
    trigger: 'pipeline',
    from: undefined,
    target: { workspaceId },
  });
  return { name: `pipeline "${slug}", begun by ${name}`, userId };
}
