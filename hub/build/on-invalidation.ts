import type { BusFrame } from '@svc/core/bus/frame';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { disconnectRevoked } from '../accounts/revoke-tokens.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { acceptClaim, acceptForwarded } from '../dispatch/accept-forwarded.ts';
import { deliverCancels } from '../dispatch/deliver-cancels.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { Recovery } from '../dispatch/recover-executions.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { FeedSource } from '../executions/remote/feed-source.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { CoalescingRunner } from '../platform/coalescing-runner.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { WorkspaceRemovals } from '../retention/delete-workspace.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

export type OnInvalidationDeps = {
  readonly ledger: ExecutionLedger;
  readonly agents: AgentDirectory;
  readonly hosts: HostedHosts;
  readonly credentials: Credentials;
  readonly runnerTokens: RunnerTokens;
  readonly secrets: Secrets;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
  readonly hubId: string;
} & {
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly executions: RunningExecutions;
  readonly events: Pick<EventStream, 'publish'>;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly feeds: FeedSource;
  readonly queue: ExecutionQueue;
  readonly driver: RunDriver;
  readonly recovery: Recovery;
  readonly removals: WorkspaceRemovals;
  readonly reportBug: (error: unknown) => unknown;
};

/**
 * Reacts to frames of other hubs: drops cache entries, polls the store, starts queued executions, or feeds output to
 * followers. A frame is only a hint; only a call sealed with the hubs' key is trusted. An attacker on the bus can read the
 * other frames and cause work, but nothing else.
 */
export function onInvalidation(bus: Bus, deps: OnInvalidationDeps): void {
  const { lookups, events, driver, recovery, reportBug } = deps;
  const pollRuns = new CoalescingRunner(() => driver.poll(), reportBug);
  const takeFromOthers = new CoalescingRunner(() => recovery.takeFromOthers(), reportBug);
  const rechecked = new CoalescingRunner(() => recheck(deps), reportBug);
  const cancels = new CoalescingRunner(() => deliverCancels(deps), reportBug);
  const onFrame = (frame: BusFrame, from: string) => {
    switch (frame.type) {
      case 'forget':
        return lookups.forget(frame.what);
      case 'changed':
        events.publish({ kind: 'changed_elsewhere', ids: frame.ids });
        for (const id of frame.ids)
          if (deps.executions.find(id) !== undefined) leaveIfTaken(deps, id).catch(reportBug);
        return;
      case 'agents':
        return deps.remoteHubs?.agents.forget(frame.workspaceIds);
      case 'moves':
        return deps.remoteHubs?.moving.note(frame.workspaceIds);
      case 'hosts':
        return deps.remoteHubs?.agents.forgetHosts();
      case 'leaves':
        return deps.feeds.closeOf(from);
      case 'cancel_asked':
        return void cancelIfRequested(deps, frame.executionId).catch(reportBug);
      case 'run_cancel_asked':
        return pollRuns.ask();
      case 'waits':
        if (deps.agents.isOnline(frame.workspaceId) || deps.hosts.hasHost()) takeFromOthers.ask();
        return;
      case 'review':
        return rechecked.ask();
      default:
        // Membership and event feeds handle the other frames, or the frame is for a single hub.
        return;
    }
  };
  bus.subscribe('all', onFrame);
  bus.answer(async (frame, from) => {
    switch (frame.type) {
      case 'review':
        await recheck(deps);
        return { type: 'done' };
      case 'take':
        return await acceptClaim(deps, frame, from);
      case 'call': {
        const outcome = await acceptForwarded(deps, frame, from);
        return outcome && { type: 'called', outcome };
      }
      case 'follow': {
        const live = deps.executions.find(frame.executionId)?.live;
        return live === undefined
          ? { type: 'done' }
          : { type: 'feeds', fed: deps.feeds.open(live, frame.feed, from) };
      }
      case 'fed':
        deps.feeds.fed(frame.feed, frame.bytes);
        return undefined;
      case 'unfollow':
        deps.feeds.close(frame.feed);
        return undefined;
      default:
        return undefined;
    }
  });
  // Frames that were sent while this hub was off the bus are lost, so it polls everything.
  bus.onState((isConnected) => {
    if (!isConnected) return;
    for (const each of [rechecked, pollRuns, takeFromOthers, cancels]) each.ask();
  });
}

async function recheck(deps: OnInvalidationDeps): Promise<void> {
  const { lookups, openStreams, removals, reportBug } = deps;
  lookups.forgetKeys();
  lookups.forgetWorkspaces();
  lookups.forgetEndpoints();
  // The hub that continues the removal disconnects the agents.
  removals.resume().catch(reportBug);
  await Promise.all([openStreams.recheckHere(), disconnectRevoked(deps)]);
}

/** Drops an execution that another hub has taken over with its output and end, because its agent reconnected there. */
async function leaveIfTaken({ executions, ledger, hubId }: OnInvalidationDeps, id: string): Promise<void> {
  const now = await ledger.find(id);
  if (now !== undefined && now.hubId !== hubId) executions.find(id)?.live.moved();
}

/** Cancels an execution when the record confirms that a cancel was requested. */
async function cancelIfRequested({ executions, ledger }: OnInvalidationDeps, id: string): Promise<void> {
  if (executions.find(id) === undefined) return;
  const now = await ledger.find(id);
  if (now?.cancelRequestedAtMs !== undefined) executions.cancel(id);
}
