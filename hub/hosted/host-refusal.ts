import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Admitted } from '../agents/admit-agent.ts';
import { isHost } from '../agents/host-address.ts';
import type { KnownHosts } from './store/known-hosts.ts';
import type { RunnerTokens } from './store/runner-tokens.ts';

/**
 * Why an agent may not be a host of the hosted runner, or must be one; undefined: no refusal (decision 28, the connection of an
 * agent; decision 49, the hosted runner).
 *
 * An instance belongs to its first token, so the holder of another token cannot take over its executions.
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
