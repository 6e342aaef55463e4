/** The OpenID provider of the hub, as its operator named it (decision 71, single sign-on). */
export interface OidcSettings {
  /** The issuer exactly as the provider writes it, with or without a slash at the end. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  /** The name on the button of the sign-in page. */
  readonly name: string;
  readonly scopes: string;
  /** `always`: the operator vouches for addresses of a provider that does not send `email_verified`. */
  readonly emailVerified: 'claim' | 'always';
  /** The claim with the groups of a person, such as `groups` or `realm_access.roles`; undefined: groups mean nothing. */
  readonly groupsClaim: string | undefined;
  /** The usernames of the workspaces that may give roles to groups, or `*`; with `groupsClaim` at least one. */
  readonly groupWorkspaces: readonly string[];
}
