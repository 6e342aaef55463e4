import type { RegisteredEndpoint } from '../endpoint-ports.ts';

export interface EndpointRow {
  id: string;
  workspace_id: string;
  slug: string;
  source: RegisteredEndpoint['source'];
  registered_by: string | null;
  version: number;
  created_at_ms: number;
  updated_at_ms: number;
  /** JSON object: since when its file has opened which secret to the public, or to the clock. */
  secret_exposure: string | null;
}

/** A row stays when its endpoint goes: executions point to what they ran. */
export interface EndpointVersionRow {
  endpoint_id: string;
  version: number;
  definition_hash: string;
  /** The wire form, JSON. */
  definition: string;
  created_at_ms: number;
  workspace_id: string | null;
  source: RegisteredEndpoint['source'] | null;
  /** JSON object of fields by their wire names; null: none. */
  overrides: string | null;
  /** Since when it has been seen that its endpoint is gone. */
  gone_since_ms?: number | null;
  /** The token and the process whose file had this version. */
  registered_token: string | null;
  registered_instance: string | null;
}
