import type { Endpoint } from '@svc/core/endpoint/definition';
import type { EndpointOverrides } from '@svc/core/endpoint/managed/overrides';
import type { SecretExposure } from '@svc/core/secret/grant';
import type { AnnouncedPipeline, RegisteredPipeline } from '../pipelines/pipeline-ports.ts';

/** A registered endpoint: its definition with overrides applied, and its origin. */
export interface RegisteredEndpoint {
  readonly id: string;
  readonly workspaceId: string;
  readonly source: 'config' | 'api';
  /** The agent name that registered it, for `config` (decision 31, which agent runs an endpoint). */
  readonly registeredBy: string | undefined;
  /**
   * SHA-256 of the canonical definition, hex; the agent checks it before it runs the command (decision 32, commands of a file stay
   * on the agent).
   */
  readonly definitionHash: string;
  readonly version: number;
  /** With its overrides applied. */
  readonly endpoint: Endpoint;
  /** The hashed definition in its wire form, JSON, without the overrides. */
  readonly definition: string;
  /** Values that replace fields of the file (decision 33, the file is the source of its endpoints). */
  readonly overrides: EndpointOverrides;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The token and process whose file has the definition; undefined for the API, and for older registrations. */
  readonly registrant?: Registering | undefined;
  /** The secrets that the agent's file has exposed to public calls or schedules (decision 58, agent tokens and secret grants). */
  readonly exposure?: SecretExposure | undefined;
}

/** A token and an agent process that connected with it. */
export interface Registering {
  readonly tokenId: string;
  readonly instance: string;
}

/** One version of an endpoint. It outlives the endpoint. */
export interface EndpointVersion {
  readonly version: number;
  readonly source: RegisteredEndpoint['source'];
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: EndpointOverrides;
  readonly createdAtMs: number;
  readonly registrant?: Registering | undefined;
}

/** A new endpoint from the API, or the next version of any endpoint. */
export interface EndpointVersionDraft {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
  readonly overrides: EndpointOverrides;
}

export type EndpointStored = 'stored' | 'slug_taken';

/** An endpoint that an agent announces. `definition` is its wire form, the object of svc.yaml. */
export interface Announced {
  readonly slug: string;
  readonly definitionHash: string;
  readonly definition: string;
}

/** The content of an agent's file. Endpoints and pipelines share one namespace (decision 2, slugs). */
export interface AnnouncedFile {
  readonly endpoints: readonly Announced[];
  readonly pipelines?: readonly AnnouncedPipeline[];
}

export interface Registration {
  readonly registered: readonly RegisteredEndpoint[];
  readonly pipelines: readonly RegisteredPipeline[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
}
