export interface LoginOptions {
  readonly baseUrl?: string;
  readonly context?: string;
  readonly json?: true;
}

export interface LogoutOptions extends LoginOptions {
  readonly forget?: true;
}
