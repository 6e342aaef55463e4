/** The options of every subcommand of `svc admin`. */
export interface AdminOptions {
  readonly json?: true;
}

export interface SignInLinkOptions extends AdminOptions {
  readonly hubUrl?: string;
}

export interface RunnerImageOptions extends AdminOptions {
  /** The folder. */
  readonly image?: string;
  readonly sources?: string;
}

export interface RotateKeysOptions extends AdminOptions {
  readonly newKeyFile?: string;
  readonly dropOld?: true;
}

export interface CheckOptions extends AdminOptions {
  readonly full?: true;
}

export interface VerifyAuditOptions extends AdminOptions {
  readonly workspace?: string;
}

export interface BootstrapOptions extends AdminOptions {
  readonly username: string;
  readonly hubUrl?: string;
  /** The folder for the files of the tokens. */
  readonly writeTo?: string;
}

export interface CopyOptions extends AdminOptions {
  readonly to: string;
}
