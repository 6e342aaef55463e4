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

/** Volumes that can be made before it is known whose they are. */
export interface PreparableVolumes extends Volumes {
  prepare(): Promise<PreparedVolume>;
}

/** A mounted volume of no id. The next process removes it. */
export interface PreparedVolume {
  readonly folder: string;
  /** Makes it the volume of this id, in use. */
  assign(id: string): Promise<VolumeInUse>;
  /** Removes one that was not assigned. */
  remove(): Promise<void>;
}
