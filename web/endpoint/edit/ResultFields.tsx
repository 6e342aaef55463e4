import { PARSE_KINDS } from '@svc/core/execution/transform/transform';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import type { TransformDraft } from './endpoint-draft.ts';
import type { FieldScope } from './field-scope.ts';

const KINDS = [
  { value: '', label: 'Text, as it is printed' },
  ...PARSE_KINDS.map((value) => ({ value, label: value })),
];
const ON_ERROR = [
  { value: 'fail', label: 'The execution fails' },
  { value: 'raw', label: 'The output is given as it is' },
] as const;

/** What becomes of the output, and who is told how an execution ended. */
export function ResultFields({ scope }: { readonly scope: FieldScope }) {
  const { transform, callback_url: callback } = scope.draft;
  const why = scope.why('transform');
  const change = (part: Partial<TransformDraft>) => {
    const [told] = Object.keys(part);
    scope.set('transform', { ...transform, ...part }, `transform.${told}`);
  };
  const text = (field: 'pattern' | 'select', label: string, hint: string) => (
    <TextField
      label={label}
      isCode
      value={transform[field]}
      onChange={(value) => change({ [field]: value })}
      problem={scope.problem(`transform.${field}`)}
      hint={hint}
      input={{ disabled: why !== undefined }}
    />
  );
  return (
    <Section title="Result" aside={why}>
      <div className="grid gap-3 sm:grid-cols-2">
        <div>
          <Select
            label="Read the output as"
            options={KINDS}
            value={transform.parse}
            onChange={(parse) => change({ parse })}
            why={why}
          />
          {scope.problem('transform.parse') && (
            <p className="text-sm text-bad">{scope.problem('transform.parse')}</p>
          )}
        </div>
        {transform.parse !== '' && (
          <>
            <Select
              label="When that fails"
              options={ON_ERROR}
              value={transform.on_error}
              onChange={(choice) => change({ on_error: choice })}
              why={why}
            />
            {transform.parse === 'regex' && text('pattern', 'Expression', 'Its named groups become fields.')}
            {text('select', 'jq program', 'Turns what was read into the result; empty: all of it.')}
          </>
        )}
      </div>
      <TextField
        label="Callback"
        isCode
        value={callback}
        onChange={(url) => scope.set('callback_url', url)}
        problem={scope.problem('callback_url')}
        hint="An address that is told, by a signed request, how each execution ended."
        input={{ inputMode: 'url' }}
      />
    </Section>
  );
}
