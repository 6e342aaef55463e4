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
