import { useMay } from '../../account/account.ts';
import { Button } from '../../design/Button.tsx';
import { PANEL_LIST } from '../../design/classes.ts';
import { Section } from '../../design/Page.tsx';
import { Code } from '../../design/text/Code.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';

interface OverridesProps {
  readonly endpoint: WireEndpoint;
  readonly onRemove: (field: string) => void;
}

/** The fields that override svc.yaml; each override can be removed. */
export function Overrides({ endpoint: { overrides, outdone }, onRemove }: OverridesProps) {
  const edit = useMay('endpoint.edit');
  const fields = Object.entries(overrides);
  if (fields.length === 0) return null;
  return (
    <Section title="Overrides of svc.yaml">
      <ul className={PANEL_LIST}>
        {fields.map(([field, value]) => (
          <li key={field} className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-1">
            <span className="min-w-0">
              <Code text={field} className="font-semibold" />{' '}
              <Code text={typeof value === 'string' ? value : JSON.stringify(value)} className="text-soft" />
              {outdone.includes(field) && (
                <span className="text-sm text-soft"> no effect: svc.yaml is stricter</span>
              )}
            </span>
            <Button
              kind="plain"
              why={edit.ok ? undefined : edit.reason}
              onClick={() => onRemove(field)}
              aria-label={`Remove override of ${field}`}
            >
              Remove override
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
