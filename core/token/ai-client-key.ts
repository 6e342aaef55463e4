const AI_CLIENT = 'ai-client:';

/** The hash of the API key of an AI client: no token has it, because the client uses the tokens of its grant. */
export function hashOfAiClient(grantId: string): string {
  return `${AI_CLIENT}${grantId}`;
}

export function isOfAiClient({ hash }: { readonly hash: string }): boolean {
  return hash.startsWith(AI_CLIENT);
}
