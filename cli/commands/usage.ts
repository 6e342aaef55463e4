import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { action, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Usage = Awaited<ReturnType<ApiClient['showUsage']>>;

/** `svc usage`: the plan and how much of it is used. */
export function usageCommand(): Command {
  return resourceCommand({
    name: 'usage',
    examples: ['svc usage', 'svc usage --json | jq .executions.remaining'],
    actions: [
      action({
        name: 'show',
        aliases: ['list'],
        summary: 'show the usage of the plan in this month',
        isDefault: true,
        run: async (api) => {
          const usage = await api.showUsage();
          return shown(usage, rowsOf(usage));
        },
      }),
    ],
  });
}

function rowsOf({ plan, period, resets_at: resetsAt, executions, seats, schedules }: Usage): FactRow[] {
  const of = ({ used, limit }: { readonly used: number; readonly limit: number | null }) =>
    `${used} of ${limit ?? 'unlimited'}`;
  return [
    { label: 'plan', text: `${plan}, ${period}, resets ${resetsAt}` },
    { label: 'executions', text: of(executions) },
    { label: 'seats', text: of(seats) },
    { label: 'schedules', text: of(schedules) },
  ];
}
