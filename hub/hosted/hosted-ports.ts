import type { AgentProcess } from '../agents/directory-ports.ts';
import type { QuotaClaim } from '../executions/execution-ports.ts';

// The hosted runner. Its hosts are agents with a token of the operator; they belong to no workspace
// and run the hosted executions of all workspaces (decision 49, the hosted runner).

/** The token of a host, stored only as a hash (decision 1, tokens). */
export interface RunnerToken {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** A host's own description of itself. */
export interface HostSelf {
  readonly instance: string;
  readonly tokenId: string;
  readonly version: string;
  readonly hostname: string;
  readonly engine: string;
  /** The number of executions that it runs at a time. */
  readonly capacity: number;
}

/** A host that is or was connected. */
export interface KnownHost extends HostSelf {
  /** The live hub that it is connected to; undefined: none. */
  readonly hubId: string | undefined;
  readonly connectedAtMs: number;
  readonly seenAtMs: number;
}

/** A reserved slot on a host. Running executions count separately. */
export interface RetainedHost {
  readonly process: AgentProcess;
  release(): void;
}

/** The hosts that are connected to this hub. */
export interface HostedHosts {
  /** Reserves a slot on the least busy host, or on the given one; undefined: no host, or no free slot. */
  reserveHost(instance?: string): RetainedHost | undefined;
  /** Whether any host, or the given one, is connected, with or without a free slot. */
  hasHost(instance?: string): boolean;
  /** The pipeline runs whose volumes are on connected hosts. */
  volumes(): readonly string[];
  /** Tells the hosts with the volume of an ended run to remove it. */
  notifyRunEnded(runId: string): void;
}

/** The host that a pipeline run is pinned to. */
export interface HostPin {
  readonly runId: string;
  readonly instance: string;
}

/** The start of a waiting execution. */
export interface HostedStart {
  readonly executionId: string;
  readonly process: Pick<AgentProcess, 'name' | 'instance' | 'boot'>;
  readonly hubId: string;
  readonly nowMs: number;
  readonly timeoutSec: number;
  readonly claim: QuotaClaim;
  /** For a step: the run, which is pinned to this host from now on. */
  readonly runId: string | undefined;
}

/** `pinned_elsewhere`: another step of its run has begun on another host. Only `begun` stores anything. */
export type HostedBegun = 'begun' | 'not_queued' | 'no_place' | 'hosted_quota_exceeded' | 'pinned_elsewhere';
