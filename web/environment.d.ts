declare module '*.css';

/** Where each route of the API is; put in by vite.config.ts. */
declare const ROUTE_LINES: Readonly<Record<string, import('@svc/core/api/client/client-of').RouteLine>>;
