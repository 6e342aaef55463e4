/** The names of this server's own routes, which no endpoint can have (decision 51, the standalone server). */
export const TAKEN_SLUGS = ['health', 'endpoints'] as const;
