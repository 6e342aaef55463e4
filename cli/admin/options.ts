/** What every subcommand of `svc admin` takes. */
export interface AdminOptions {
  readonly json?: true;
}

export interface SignInLinkOptions extends AdminOptions {
  readonly hubUrl?: string;
}

export interface VerifyAuditOptions extends AdminOptions {
  readonly workspace?: string;
}
