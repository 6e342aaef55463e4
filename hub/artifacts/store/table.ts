import type { ArtifactState } from '@svc/core/artifact/upload';

export interface ArtifactRow {
  readonly execution_id: string;
  readonly id: number;
  readonly workspace_id: string;
  readonly name: string;
  readonly size: number;
  readonly state: ArtifactState;
  readonly reason: string | null;
  readonly sha256: string | null;
  readonly created_at_ms: number;
}
