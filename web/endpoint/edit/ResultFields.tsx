import { PARSE_KINDS } from '@svc/core/execution/transform/transform';
import { CodeField } from '../../design/code/CodeField.tsx';
import type { CodeLanguage } from '../../design/code/languages.ts';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import type { TransformDraft } from './endpoint-draft.ts';
import type { FieldScope } from './field-scope.ts';

const KINDS = [{ value: '', label: 'Plain text' }, ...PARSE_KINDS.map((value) => ({ value, label: value }))];
const ON_ERROR = [
  { value: 'fail', label: 'Fail the execution' },
  { value: 'raw', label: 'Return the raw output' },
] as const;

/** The transform of the output, and the callback at the end of an execution. */
export function ResultFields({ scope }: { readonly scope: FieldScope }) {
  const { transform, callback_url: callback } = scope.draft;
  const why = scope.why('transform');
  const change = (part: Partial<TransformDraft>) => {
    const [field] = Object.keys(part);
    scope.set('transform', { ...transform, ...part }, `transform.${field}`);
  };
  const code = (field: 'pattern' | 'select', language: CodeLanguage, label: string, hint: string) => (
    <div className="sm:col-span-2">
      {why === undefined ? (
        <CodeField
          label={label}
          language={language}
          value={transform[field]}
          onChange={(value) => change({ [field]: value })}
          problem={scope.problem(`transform.${field}`)}
          hint={hint}
        />
      ) : (
        <TextField
          label={label}
          isCode
          rows={Math.min(transform[field].split('\n').length, 12)}
          value={transform[field]}
          onChange={() => {}}
          hint={hint}
          input={{ disabled: true }}
        />
      )}
    </div>
  );
  return (
    <Section title="Result" aside={why}>
      <div className="grid gap-3 sm:grid-cols-2">
        <div>
          <Select
            label="Parse output as"
            options={KINDS}
            value={transform.parse}
            onChange={(parse) => change({ parse, more: {} })}
            why={why}
          />
          {scope.problem('transform.parse') && (
            <p className="text-sm text-bad">{scope.problem('transform.parse')}</p>
          )}
        </div>
        {transform.parse !== '' && (
          <>
            <Select
              label="If parsing fails"
              options={ON_ERROR}
              value={transform.on_error}
              onChange={(choice) => change({ on_error: choice })}
              why={why}
            />
            {transform.parse === 'jc' && (
              <TextField
                label="jc parser"
                isCode
                value={transform.more.parser ?? ''}
                onChange={(parser) =>
                  scope.set(
                    'transform',
                    { ...transform, more: { ...transform.more, parser } },
                    'transform.parser',
                  )
                }
                problem={scope.problem('transform.parser')}
                hint="The parser of the program jc, such as dig. The agent's machine needs jc."
                input={{ disabled: why !== undefined }}
              />
            )}
            {transform.parse === 'regex' &&
              code('pattern', 'regex', 'Expression', 'Named groups become fields.')}
            {code('select', 'jq', 'jq filter', 'Selects the result. Leave empty to keep everything.')}
          </>
        )}
      </div>
      <TextField
        label="Callback URL"
        isCode
        value={callback}
        onChange={(url) => scope.set('callback_url', url)}
        problem={scope.problem('callback_url')}
        hint="Receives a signed request when an execution ends."
        input={{ inputMode: 'url' }}
      />
    </Section>
  );
}
