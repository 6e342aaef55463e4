import { ApiError } from '@svc/core/api/client/api-error';
import { apiOf } from '../service/api.ts';
import { failureOf, type Service } from '../service/service.ts';

/** Ends the access token at a service; an already invalid token is fine. */
export async function endToken(service: Service): Promise<void> {
  try {
    await apiOf(service).signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) throw failureOf(error);
  }
}
