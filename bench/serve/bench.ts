import { compileFloor } from '../floor/floor.ts';
import { loadGenerator } from '../load/load.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import type { Report } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startSvc } from '../peers/svc.ts';
import { startWebhook } from '../peers/webhook.ts';
import { COMMANDS, writeConfig } from './commands.ts';
import { measureFirstByte } from './first-byte.ts';
import { measureStartUp } from './start-up.ts';
import { measureThroughput } from './throughput.ts';

/** `npm run bench -- serve`: the standalone server against webhook, against a bare spawn and against the start of Node. */
export async function benchServe(): Promise<void> {
  const machine = await machineFacts();
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path);
  const floor = await compileFloor(folder.path);
  const load = loadGenerator();
  await using svc = await startSvc(config);
  await using webhook = await startWebhook(COMMANDS, folder.path);
  const report: Report = {
    benchmark: 'serve',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: {
      svc: svc.description,
      webhook: webhook?.description ?? 'not installed',
      floor: floor?.description ?? 'no C compiler is installed',
      load: load.description,
    },
    sections: [
      ...(await measureThroughput({ svc, webhook, floor, load })),
      await measureFirstByte(svc, floor),
      await measureStartUp(config),
    ],
  };
  console.log(toMarkdown(report));
  console.log(`\nRaw rows: ${await writeReport(report)}`);
}
