import { Refusal } from '@svc/core/refusal';
import { type Admin, openAdmin } from '@svc/hub/admin/admin';
import { Failure } from '../failure.ts';
import { dataFailure, hubConfig } from '../hub/start.ts';

/** Opens the data of the hub that the environment describes; a refusal ends the subcommand. */
export async function withAdmin<Result>(
  work: (admin: Admin) => Promise<Result>,
  hubUrl?: string,
): Promise<Result> {
  const config = hubConfig({});
  try {
    await using admin = await openAdmin(hubUrl === undefined ? config : { ...config, hubUrl });
    return await work(admin);
  } catch (error) {
    const failure = dataFailure(config, error);
    if (failure !== undefined) throw failure;
    throw error instanceof Refusal ? new Failure(error.message) : error;
  }
}
