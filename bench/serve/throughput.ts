import type { Floor } from '../floor/floor.ts';
import { type Load, perSecond } from '../load/load.ts';
import { type Comparison, compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import type { Section } from '../measure/report.ts';
import { expectAnswer, type Server } from '../peers/server.ts';
import { COMMANDS, PRINTED } from './commands.ts';

const CONCURRENCY = 8;
const ROUNDS = 7;
const SECONDS = 2;
const VARIANTS = ['argv', 'shell'] as const;

export interface Sides {
  readonly svc: Server;
  readonly webhook: Server | undefined;
  readonly floor: Floor | undefined;
  readonly load: Load;
}

/** Buffered `echo hi` over 8 connections, against webhook and against a C loop with 8 children at a time. */
export async function measureThroughput(sides: Sides): Promise<Section> {
  for (const { url } of [sides.svc, sides.webhook].filter((side) => side !== undefined)) {
    for (const variant of VARIANTS) await expectAnswer({ url: `${url}/${variant}` }, PRINTED);
  }
  const turns = await interleave(
    VARIANTS.flatMap((variant) => contestants(variant, sides)),
    ROUNDS,
  );
  return {
    title: `echo hi, buffered, ${CONCURRENCY} connections`,
    unit: 'executions/s',
    comparisons: VARIANTS.flatMap((variant) => comparisons(variant, sides)).map((one) => compare(one, turns)),
    notMeasured: [
      ...(sides.webhook ? [] : ['against webhook: it is not installed (Debian package webhook)']),
      ...(sides.floor ? [] : ['against the C floor: no C compiler is installed']),
    ],
    turns,
  };
}

type Variant = (typeof VARIANTS)[number];

/** The names say the command, so that unlike commands are never compared by mistake. */
function nameOf(side: string, variant: Variant): string {
  return `${side}, \`${COMMANDS[variant].join(' ')}\``;
}

function contestants(variant: Variant, { svc, webhook, floor, load }: Sides): Contestant[] {
  const served = (side: string, { url }: Server): Contestant => ({
    name: nameOf(side, variant),
    measure: async () => [
      perSecond(await load.keepAsking({ url: `${url}/${variant}` }, CONCURRENCY, SECONDS)),
    ],
  });
  const spawned = (bare: Floor): Contestant => ({
    name: nameOf('C floor', variant),
    measure: async () => [await bare.spawnsPerSecond(COMMANDS[variant], CONCURRENCY, SECONDS)],
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
    ...(webhook ? [{ subject, against: nameOf('webhook', variant), goal: { atLeast: 1.35 } }] : []),
    ...(floor ? [{ subject, against: nameOf('C floor', variant), goal: { atLeast: 0.9 } }] : []),
  ];
}
