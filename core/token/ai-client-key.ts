const AI_CLIENT = 'ai-client:';

/** Stands for the hash of the API key of an AI client. No token has this hash: the client uses the tokens of its grant. */
export function hashOfAiClient(grantId: string): string {
  return `${AI_CLIENT}${grantId}`;
}

export function isOfAiClient({ hash }: { readonly hash: string }): boolean {
  return hash.startsWith(AI_CLIENT);
}
