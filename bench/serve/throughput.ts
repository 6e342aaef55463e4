import type { Floor } from '../floor/floor.ts';
import { type Load, perSecond } from '../load/load.ts';
import { type Comparison, compare } from '../measure/comparison.ts';
import { interleaveMany, type ManyFigures } from '../measure/interleave.ts';
import { cpuOf } from '../measure/process-use.ts';
import type { Section } from '../measure/report.ts';
import { expectAnswer, type Server } from '../peers/server.ts';
import { COMMANDS, PRINTED } from './commands.ts';

const CONCURRENCY = 8;
const ROUNDS = 7;
const SECONDS = 2;
/** The compiler is still busy after ten seconds of calls: a server that has run for a day does not compile. */
const WARM_UP_SECONDS = 40;
const VARIANTS = ['argv', 'shell'] as const;

type Peer = Server & { readonly pid: number };
type Series = 'perSecond' | 'ownUs';

export interface Sides {
  readonly svc: Peer;
  readonly webhook: Peer | undefined;
  readonly floor: Floor | undefined;
  readonly load: Load;
}

/**
 * Buffered `echo hi` over 8 connections, against webhook and against a C loop with 8 children at a time. Also the processor time of the
 * two servers, without that of the commands.
 */
export async function measureThroughput(sides: Sides): Promise<Section[]> {
  for (const { url } of [sides.svc, sides.webhook].filter((side) => side !== undefined)) {
    for (const variant of VARIANTS) {
      await expectAnswer({ url: `${url}/${variant}` }, PRINTED);
      await sides.load.keepAsking(
        { url: `${url}/${variant}` },
        CONCURRENCY,
        WARM_UP_SECONDS / VARIANTS.length,
      );
    }
  }
  const turnsOf = await interleaveMany(
    VARIANTS.flatMap((variant) => contestants(variant, sides)),
    ROUNDS,
  );
  const [speed, own] = [turnsOf('perSecond'), turnsOf('ownUs')];
  const title = `echo hi, buffered, ${CONCURRENCY} connections`;
  const noWebhook = sides.webhook ? [] : ['against webhook: it is not installed (Debian package webhook)'];
  return [
    {
      title,
      unit: 'executions/s',
      comparisons: VARIANTS.flatMap((variant) => comparisons(variant, sides)).map((one) =>
        compare(one, speed),
      ),
      notMeasured: [
        ...noWebhook,
        ...(sides.floor ? [] : ['against the C floor: no C compiler is installed']),
      ],
      turns: speed,
    },
    {
      title: `${title}: processor time of the server itself, per call`,
      unit: 'µs',
      comparisons: (sides.webhook ? VARIANTS : []).map((variant) =>
        compare({ ...againstWebhook(variant), goal: { atMost: 1 } }, own),
      ),
      notMeasured: noWebhook,
      turns: own.filter(({ figure }) => figure > 0),
    },
  ];
}

type Variant = (typeof VARIANTS)[number];

/** The names say the command, so that unlike commands are never compared by mistake. */
function nameOf(side: string, variant: Variant): string {
  return `${side}, \`${COMMANDS[variant].join(' ')}\``;
}

function contestants(variant: Variant, { svc, webhook, floor, load }: Sides): ManyFigures<Series>[] {
  const served = (side: string, { url, pid }: Peer): ManyFigures<Series> => ({
    name: nameOf(side, variant),
    measure: async () => {
      const work = () => load.keepAsking({ url: `${url}/${variant}` }, CONCURRENCY, SECONDS);
      const { result, cpu } = await cpuOf(pid, work);
      return { perSecond: perSecond(result), ownUs: (cpu.ownMs * 1_000) / result.answered };
    },
  });
  const spawned = (bare: Floor): ManyFigures<Series> => ({
    name: nameOf('C floor', variant),
    measure: async () => ({
      perSecond: await bare.spawnsPerSecond(COMMANDS[variant], CONCURRENCY, SECONDS),
      ownUs: 0,
    }),
  });
  return [
    served('svc', svc),
    ...(webhook ? [served('webhook', webhook)] : []),
    ...(floor ? [spawned(floor)] : []),
  ];
}

function comparisons(variant: Variant, { webhook, floor }: Sides): Comparison[] {
  const subject = nameOf('svc', variant);
  return [
    ...(webhook ? [{ ...againstWebhook(variant), goal: { atLeast: 1.1 } }] : []),
    ...(floor ? [{ subject, against: nameOf('C floor', variant), goal: { atLeast: 0.85 } }] : []),
  ];
}

function againstWebhook(variant: Variant): Pick<Comparison, 'subject' | 'against'> {
  return { subject: nameOf('svc', variant), against: nameOf('webhook', variant) };
}
