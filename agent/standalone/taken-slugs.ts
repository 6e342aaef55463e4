/** The names of this server's own routes, which no endpoint can have (decision 51, svc serve). */
export const TAKEN_SLUGS = ['health', 'endpoints'] as const;
