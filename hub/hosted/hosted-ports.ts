import type { AgentProcess } from '../agents/directory-ports.ts';
import type { QuotaClaim } from '../executions/execution-ports.ts';

// What use cases about the hosted runner need. Its hosts are agents with a token of the operator: they belong to no workspace
// and run what all of them have for it (decision 49).

/** What a host connects with; known by its hash only (decision 1). */
export interface RunnerToken {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** A host as it says that it is. */
export interface HostSelf {
  readonly instance: string;
  readonly tokenId: string;
  readonly version: string;
  readonly hostname: string;
  readonly engine: string;
  /** How many executions it runs at a time. */
  readonly capacity: number;
}

/** A host that is here or has been here. */
export interface KnownHost extends HostSelf {
  /** The hub that it is connected to, as far as that one lives; undefined: none. */
  readonly hubId: string | undefined;
  readonly connectedAtMs: number;
  readonly seenAtMs: number;
}

/** A place on a host that nobody else takes until it is given back; what runs there counts by itself. */
export interface RetainedHost {
  readonly process: AgentProcess;
  giveBack(): void;
}

/** The hosts that are connected to this hub. */
export interface HostedHosts {
  /** On the one with the least to do, or on this one; undefined: there is none, or none with room. */
  holdHost(instance?: string): RetainedHost | undefined;
  /** Whether any is there, or this one, with room or without. */
  hasHost(instance?: string): boolean;
  /** The pipeline runs whose volume is on a connected host. */
  volumes(): readonly string[];
  /** The run has ended: hosts that have its volume are told. */
  tellRunEnded(runId: string): void;
}

/** The host that a pipeline run keeps to. */
export interface HostPin {
  readonly runId: string;
  readonly instance: string;
}

/** What begins an execution that waited, besides its quota. */
export interface HostedStart {
  readonly executionId: string;
  readonly process: Pick<AgentProcess, 'name' | 'instance' | 'boot'>;
  readonly hubId: string;
  readonly nowMs: number;
  readonly timeoutSec: number;
  readonly claim: QuotaClaim;
  /** Of a step: the run, which has no other host from now on. */
  readonly runId: string | undefined;
}

/** `pinned_elsewhere`: a step of its run was faster, on another host. Unless it has begun nothing is stored. */
export type HostedBegun = 'begun' | 'not_queued' | 'no_place' | 'hosted_quota_exceeded' | 'pinned_elsewhere';
