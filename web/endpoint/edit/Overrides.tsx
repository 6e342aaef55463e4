import { useMay } from '../../account/account.ts';
import { Button } from '../../design/Button.tsx';
import { Section } from '../../design/Page.tsx';
import { Code } from '../../design/text/Code.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';

interface OverridesProps {
  readonly endpoint: WireEndpoint;
  readonly onRemove: (field: string) => void;
}

/** What holds here instead of what the file says: each can be taken away again. */
export function Overrides({ endpoint: { overrides, outdone }, onRemove }: OverridesProps) {
  const edit = useMay('endpoint.edit');
  const fields = Object.entries(overrides);
  if (fields.length === 0) return null;
  return (
    <Section title="Overrides of the file">
      <ul>
        {fields.map(([field, value]) => (
          <li
            key={field}
            className="flex flex-wrap items-center justify-between gap-x-4 border-b border-line py-1"
          >
            <span className="min-w-0">
              <Code text={field} className="font-semibold" />{' '}
              <Code text={typeof value === 'string' ? value : JSON.stringify(value)} className="text-soft" />
              {outdone.includes(field) && (
                <span className="text-sm text-soft"> without effect: the file is stricter</span>
              )}
            </span>
            <Button
              kind="plain"
              why={edit.ok ? undefined : edit.reason}
              onClick={() => onRemove(field)}
              aria-label={`Remove the override of ${field}`}
            >
              Use what the file says
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
