/** The volumes of pipeline runs on this host: each `/workspace` for the steps of one run, whichever containers they have. */
export interface Volumes extends AsyncDisposable {
  /** The runs that have one. */
  ids(): readonly string[];
  /** That of a run, made when the first step asks. The folder is the host's, for a container's `/workspace`. */
  use(runId: string): Promise<VolumeInUse>;
  /** The run is over: gone when the last user has let go of it, which this waits for. */
  end(runId: string): Promise<void>;
}

export interface VolumeInUse {
  readonly folder: string;
  release(): void;
}
