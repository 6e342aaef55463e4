import { createHmac } from 'node:crypto';

/** The headers of GitHub for a body; the signature is computed here, apart from our code. */
export function fromGitHub(
  secret: string,
  body: string,
  { event = 'push', delivery = crypto.randomUUID() as string } = {},
): RequestInit {
  const hex = createHmac('sha256', secret).update(body, 'utf8').digest('hex');
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${hex}`,
    },
  };
}

/** The same with some headers replaced. */
export function withHeaders(init: RequestInit, headers: Readonly<Record<string, string>>): RequestInit {
  return { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } };
}
