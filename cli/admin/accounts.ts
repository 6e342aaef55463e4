import { withAdmin } from './open.ts';
import type { AdminOptions, SignInLinkOptions } from './options.ts';
import { printable, printResult } from './print.ts';

/** `svc admin sign-in-link`: prints only the link, for use in a shell. */
export async function signInLink(email: string, options: SignInLinkOptions): Promise<void> {
  const url = await withAdmin((admin) => admin.signInLink(email), options.hubUrl);
  process.stdout.write(options.json ? `${JSON.stringify({ sign_in_url: url })}\n` : `${url}\n`);
}

/** `svc admin sign-out`. */
export async function signOutUser(email: string, options: AdminOptions): Promise<void> {
  await withAdmin((admin) => admin.signOut(email));
  printResult(options, { email }, [{ label: printable(email), text: 'signed out everywhere' }]);
}

/** `svc admin reset-second-factor`. */
export async function resetSecondFactor(email: string, options: AdminOptions): Promise<void> {
  await withAdmin((admin) => admin.resetSecondFactor(email));
  printResult(options, { email }, [
    { label: printable(email), text: 'second factor switched off, passkeys removed, sessions ended' },
  ]);
}

/** `svc admin plan`. */
export async function setPlan(username: string, plan: string, options: AdminOptions): Promise<void> {
  await withAdmin((admin) => admin.setPlan(username, plan));
  printResult(options, { username, plan }, [{ label: username, text: `plan ${plan}` }]);
}

/** `svc admin users`: one line each, in the order of their addresses. */
export async function listUsers(options: AdminOptions): Promise<void> {
  await withAdmin(async (admin) => {
    for await (const { email, username, plan, createdAtMs } of admin.users()) {
      const line = {
        email,
        username: username ?? null,
        plan,
        created_at: new Date(createdAtMs).toISOString(),
      };
      const text = `${line.created_at}  ${plan.padEnd(9)}  ${printable(email)}`;
      printResult(options, line, [{ label: username ?? '-', text }]);
    }
  });
}
