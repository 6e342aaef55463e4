/** A range of protocol versions, both ends included. */
export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** The versions that this program speaks. */
export const PROTOCOL_VERSIONS: VersionRange = { min: 1, max: 1 };

/** The highest common version; undefined if there is none, and then the hub closes with `version`. */
export function commonVersion(ours: VersionRange, theirs: VersionRange): number | undefined {
  const highest = Math.min(ours.max, theirs.max);
  return highest >= Math.max(ours.min, theirs.min) ? highest : undefined;
}
