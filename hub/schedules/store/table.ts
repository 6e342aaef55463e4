import type { Schedule } from '../schedule-ports.ts';

/** The schedule of an endpoint. The row exists as long as the definition has a `schedule`. */
export interface ScheduleRow {
  endpoint_id: string;
  workspace_id: string;
  expression: string;
  state: Schedule['state'];
  registered_at_ms: number;
  /** The first unrecorded fire; null: the schedule is paused, or never fires again. */
  next_fire_at_ms: number | null;
}
