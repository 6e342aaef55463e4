import { ask, refusalOf, type Service } from '../service/service.ts';

/** Ends the access token of a service; one that is over already is as good. */
export async function endToken(service: Service): Promise<void> {
  const response = await ask(service, `${service.baseUrl}/auth/logout`, { method: 'POST' });
  if (!response.ok && response.status !== 401) throw await refusalOf(response);
}
