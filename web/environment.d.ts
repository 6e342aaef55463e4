declare module '*.css';

/** The path at which the hub serves the picture. */
declare module '*.svg' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: Vite exports it so
  export default path;
}

/** The method and path of each API route; defined by vite.config.ts. */
declare const ROUTE_LINES: Readonly<Record<string, import('@svc/core/api/client/client-of').RouteLine>>;

/** The path of the licenses of all packages; defined by vite.config.ts. */
declare const LICENSES_PATH: string;

/** The addresses of the first requests of each page; defined by vite.config.ts. */
declare const FIRST_READS: import('./begun-requests.ts').FirstReads;

/** The requests that `start.ts` began and the page has not taken yet, by path. A global, because `start.ts` shares no file with the page. */
declare var svcBegun: Map<string, import('./begun-requests.ts').BegunRequest> | undefined;
