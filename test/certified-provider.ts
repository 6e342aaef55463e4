import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { CLIENT_ID, CLIENT_SECRET, type TestProvider } from './openid-providers.ts';

/** The certified provider of npm; it knows everybody, with the verified address that their name is. */
export async function certifiedProvider(issuer: string, redirectUri: string): Promise<TestProvider> {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        backchannel_logout_uri: new URL('logout', redirectUri).href,
        backchannel_logout_session_required: true,
      },
    ],
    features: { backchannelLogout: { enabled: true } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: sub, email_verified: true }),
    }),
    pkce: { required: () => true },
  });
  const answer = provider.callback();
  const server = createServer((request, response) => void answer(request, response));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(Number(new URL(issuer).port), '127.0.0.1', resolve);
  await promise;
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
