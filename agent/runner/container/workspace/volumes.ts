/** The volumes of pipeline runs on this host: each is the `/workspace` of all steps of one run. */
export interface Volumes extends AsyncDisposable {
  /** The runs that have a volume. */
  ids(): readonly string[];
  /** The volume of a run, created for its first step. The folder is on the host, for a container's `/workspace`. */
  use(runId: string): Promise<VolumeInUse>;
  /** Removes the volume of a run that is over, after the last user has released it. */
  end(runId: string): Promise<void>;
}

export interface VolumeInUse {
  readonly folder: string;
  release(): void;
}

/** Volumes that can be made before their id is known. */
export interface PreparableVolumes extends Volumes {
  prepare(): Promise<PreparedVolume>;
}

/** A mounted volume without an id. If it stays so, the next process removes it. */
export interface PreparedVolume {
  readonly folder: string;
  /** Gives the volume this id. The caller uses it until it calls `release`. */
  assign(id: string): Promise<VolumeInUse>;
  /** Removes the volume if it was not assigned. */
  remove(): Promise<void>;
}
