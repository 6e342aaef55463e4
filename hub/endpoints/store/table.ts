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
  /** JSON object: since when the file has exposed which secret to public calls or schedules. */
  secret_exposure: string | null;
}

/** The row outlives its endpoint, because executions refer to the version that they ran. */
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
  /** When the removal of the endpoint was first noticed. */
  gone_since_ms?: number | null;
  /** The token and the process whose file had this version. */
  registered_token: string | null;
  registered_instance: string | null;
}
