import { PLANS } from '@svc/core/plan/plans';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { classes } from '../design/classes.ts';
import { PLAN_FACTS, planFacts } from './plan-facts.ts';

const COLUMNS = PLANS.map((plan) => ({ plan, facts: planFacts(plan) }));

/** The plans side by side; the plan of the workspace is marked. */
export function PlanTable() {
  const { data } = useQuery(read('showUsage'));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard.
    <section className="overflow-x-auto" aria-label="Plan limits" tabIndex={0}>
      <table className="w-full min-w-xl text-sm">
        <thead>
          <tr className="text-left">
            <th scope="col" className="py-2 font-normal text-soft">
              Per workspace
            </th>
            {PLANS.map((plan) => (
              <th
                key={plan}
                scope="col"
                className={classes('px-3 py-2', plan === data?.plan && 'bg-accent-wash')}
              >
                {plan}
                {plan === data?.plan && <span className="font-normal text-soft"> · current</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PLAN_FACTS.map(({ label }, row) => (
            <tr key={label} className="border-t border-line">
              <th scope="row" className="py-1.5 text-left font-normal text-soft">
                {label}
              </th>
              {COLUMNS.map(({ plan, facts }) => (
                <td key={plan} className={classes('px-3 py-1.5', plan === data?.plan && 'bg-accent-wash')}>
                  {facts[row]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
