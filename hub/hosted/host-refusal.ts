import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Admitted } from '../agents/admit-agent.ts';
import { isHost } from '../agents/host-address.ts';
import type { KnownHosts } from './store/known-hosts.ts';
import type { RunnerTokens } from './store/runner-tokens.ts';

/**
 * Why somebody may not be a host of the hosted runner, or must be one; undefined when all is well (decisions 28 and 49).
 *
 * The instance belongs to the token that it came with first: whoever has another one cannot take over what it runs.
 */
export async function hostRefusal(
  { knownHosts, runnerTokens }: { readonly knownHosts: KnownHosts; readonly runnerTokens: RunnerTokens },
  { token }: Admitted,
  { agent, instance, runner }: AgentFrameOf<'hello'>,
): Promise<string | undefined> {
  if (!isHost(token)) {
    return runner === undefined ? undefined : 'a host of the hosted runner needs a runner token, svc_rt_…';
  }
  if (runner === undefined || agent !== HOSTED_AGENT)
    return 'a runner token is for svc agent --runner container';
  const known = await knownHosts.tokenOf(instance);
  if (known === undefined || known === token.id) return undefined;
  const isRevoked = (await runnerTokens.list()).some(
    ({ id, revokedAtMs }) => id === known && revokedAtMs !== undefined,
  );
  if (isRevoked) return undefined;
  return 'this host is known by another runner token: revoke that one first, or choose another --state-dir';
}
