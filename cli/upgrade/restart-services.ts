import { realpathSync } from 'node:fs';
import { EXIT, Failure } from '../failure.ts';
import { isHealthy, urlOnThisMachine } from '../install/hub.ts';
import { propertyOf, untilWorking } from '../install/service.ts';
import { output } from '../install/step.ts';
import { writeRows } from '../terminal.ts';
import { runningAgentService, runsProgram } from './agent-service.ts';

const HUB_SETTINGS = '/etc/svc/hub.env';
const HEALTH_MS = 60_000;

/**
 * `svc upgrade --services`: replaces the processes of an earlier version after a package manager has replaced the program, without a
 * failed call (decision 98, restart without a failed call). The hub comes first, because the agent may wait for its commands. Each
 * service is tried, also when another one fails.
 */
export async function restartServices(): Promise<void> {
  const program = realpathSync(process.execPath);
  const failures: Failure[] = [];
  const attempt = async (unit: string, restart: () => Promise<void>) => {
    try {
      await restart();
      writeRows(process.stdout, [{ label: 'restarted', text: unit }]);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  };
  if (runsProgram('svc-hub', program)) await attempt('svc-hub', restartHub);
  if (runsProgram('svc-runner', program))
    await attempt(
      'svc-runner',
      async () => void output(['systemctl', 'restart', '--no-block', 'svc-runner']),
    );
  const agent = runningAgentService(program);
  if (agent !== undefined)
    await attempt('svc-agent', async () => {
      await using _beside = await agent.startBeside(program);
      await agent.restart();
    });
  const [first, ...others] = failures;
  if (first === undefined) return;
  throw new Failure(first.message, {
    details: [...first.details, ...others.map(({ message }) => message)],
    tip: first.tip ?? 'systemctl start svc-upgrade tries again',
    exitCode: EXIT.failed,
  });
}

async function restartHub(): Promise<void> {
  const replaced = propertyOf('svc-hub', 'InvocationID');
  const url = urlOnThisMachine(HUB_SETTINGS);
  output(['systemctl', 'restart', 'svc-hub.service']);
  await untilWorking({ name: 'svc-hub' }, replaced, async () => await isHealthy(url), HEALTH_MS);
}
