import type { Endpoint } from '@svc/core/endpoint/definition';
import type { Overrides } from '@svc/core/endpoint/managed/overrides';
import type { SecretExposure } from '@svc/core/secret/grant';
import type { AnnouncedPipeline, RegisteredPipeline } from '../pipelines/pipeline-ports.ts';

/** An endpoint as it is registered: its definition with overrides applied, and where it comes from. */
export interface RegisteredEndpoint {
  readonly id: string;
  readonly workspaceId: string;
  readonly source: 'config' | 'api';
  /** The agent name that registered it, for `config` (decision 31). */
  readonly registeredBy: string | undefined;
  /** SHA-256 of the canonical definition, hex: what an agent is asked to run (decision 32). */
  readonly definitionHash: string;
  readonly version: number;
  /** With its overrides applied. */
  readonly endpoint: Endpoint;
  /** The wire form, JSON, of what the hash is of: without the overrides. */
  readonly definition: string;
  /** What holds instead of fields of the file (decision 33). */
  readonly overrides: Overrides;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Whose file has its definition; undefined for the API, and for what was registered before this was noted. */
  readonly registrant?: Registering | undefined;
  /** What the file of its agent has opened to the public or to the clock (decision 58, secret grants). */
  readonly exposure?: SecretExposure | undefined;
}

/** A token and an agent process that has connected with it. */
export interface Registering {
  readonly tokenId: string;
  readonly instance: string;
}

/** What an endpoint was from one change to the next; it outlives the endpoint. */
export interface EndpointVersion {
  readonly version: number;
  readonly source: RegisteredEndpoint['source'];
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: Overrides;
  readonly createdAtMs: number;
  readonly registrant?: Registering | undefined;
}

/** An endpoint of the API as it is to be stored, or the next version of any. */
export interface EndpointDraft {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: Overrides;
}

export type EndpointStored = 'stored' | 'slug_taken';

/** What one agent announces for one of its endpoints. `definition` is its wire form: the object of svc.yaml. */
export interface Announced {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
}

/** All that is in the file of an agent; endpoints and pipelines share one namespace (decision 2). */
export interface AnnouncedFile {
  readonly endpoints: readonly Announced[];
  readonly pipelines?: readonly AnnouncedPipeline[];
}

export interface Registration {
  readonly registered: readonly RegisteredEndpoint[];
  readonly pipelines: readonly RegisteredPipeline[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
}
