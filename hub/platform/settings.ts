import type { Network } from '@svc/core/alert/address';

/** The operator's decisions that answers depend on (decision 54, configuration of a hub). */
export interface Settings {
  readonly version: string;
  /** The URL of the pages and the management API, without a slash at the end. */
  readonly hubUrl: string;
  /** The URL of endpoints. */
  readonly baseUrl: string;
  readonly forwardCapSec: number;
  readonly rates: RateSettings;
  readonly signup: 'open' | 'invited';
  /** AI clients without a metadata document may register (RFC 7591). */
  readonly hasClientRegistration: boolean;
  /** Stored output is indexed and searched. */
  readonly hasOutputSearch: boolean;
  /** The folder of the releases of this program; undefined: it was built from its source. */
  readonly releasesUrl: string | undefined;
  /** E-mail addresses, in lower case. */
  readonly operators: readonly string[];
  /** Without a mail server, an operator hands out sign-in links. */
  readonly hasMailServer: boolean;
  /** The name of the OpenID provider; undefined: none. */
  readonly providerName: string | undefined;
  /** The same, if its groups have roles; undefined: groups mean nothing. */
  readonly providerOfGroups: string | undefined;
  /** The usernames of the workspaces that may give roles to groups, or `*`. */
  readonly groupWorkspaces: readonly string[];
  /** The usernames of the workspaces that may be provisioned by SCIM, or `*`. */
  readonly scimWorkspaces: readonly string[];
  readonly trustedProxies: readonly Network[];
  /** The private networks that alerts and callbacks may go to. */
  readonly alertNetworks: readonly Network[];
}

/** Calls per minute; undefined: as the plan says; `off`: not limited (decision 26, limits). */
export interface RateSettings {
  readonly key: number | 'off' | undefined;
  readonly public: number | 'off' | undefined;
  readonly signIn: number | 'off' | undefined;
}
