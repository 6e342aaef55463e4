/** The release. Everything that could differ between two builds of one commit is here. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  /** The time of the commit, in seconds since 1970: the only time in any file of the release. */
  readonly epochS: number;
  /** Where the files of the release go. */
  readonly folder: string;
  /** How hard zstd compresses, 1 to 19. */
  readonly level: number;
}
