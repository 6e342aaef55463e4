/**
 * The headers of bytes that a command made (decision 68, raw output): a browser shows them as what they claim to be, in an origin
 * of their own and without scripts, and no cache keeps them.
 */
export function rawHeaders(contentType: string, executionId: string): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Content-Security-Policy': "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'X-Execution-Id': executionId,
  };
}

/**
 * Rejects the source of a body, which makes Bun close the connection before the end of the body. Bun prints a reason, so there is
 * none.
 */
export function breakConnection(): Promise<never> {
  return Promise.reject();
}
