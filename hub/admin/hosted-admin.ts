import { operatorSource } from '../audit/sources.ts';
import type { Store } from '../build/create-store.ts';
import type { KnownHost, RunnerToken } from '../hosted/hosted-ports.ts';
import { makeRunnerToken, revokeRunnerToken, setHostedNetwork } from '../hosted/manage-hosted.ts';
import { randomWith, systemClock } from '../platform/system-clock.ts';

/** A token with the hosts that use it. */
export type ListedRunnerToken = Omit<RunnerToken, 'hash'> & { readonly hosts: readonly KnownHost[] };

/** The operator's commands for the hosted runner. */
export interface HostedAdmin {
  /** Creates a token, which is shown only once. */
  makeRunnerToken(name: string): Promise<{ readonly id: string; readonly token: string }>;
  runnerTokens(): Promise<readonly ListedRunnerToken[]>;
  revokeRunnerToken(id: string): Promise<void>;
  setHostedNetwork(username: string, isAllowed: boolean): Promise<void>;
}

export function hostedAdmin({ runnerTokens, hosts, hosted, accounts }: Store): HostedAdmin {
  const clock = systemClock;
  const deps = { runnerTokens, hosted, accounts, random: randomWith(clock), clock };
  return {
    async makeRunnerToken(name) {
      const { row, token } = await makeRunnerToken(deps, name);
      return { id: row.id, token };
    },
    async runnerTokens() {
      const all = await hosts.all();
      return (await runnerTokens.list()).map(({ hash: _, ...token }) => ({
        ...token,
        hosts: all.filter(({ tokenId }) => tokenId === token.id),
      }));
    },
    revokeRunnerToken: (id) => revokeRunnerToken(deps, id),
    setHostedNetwork: (username, isAllowed) =>
      setHostedNetwork(deps, { username, isAllowed }, operatorSource('svc admin')),
  };
}
