import { ARGUMENT_TYPES, ITEM_TYPES } from '@svc/core/endpoint/definition';
import { Button } from '../../design/Button.tsx';
import { Checkbox } from '../../design/form/Checkbox.tsx';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import { type ArgumentDraft, NEW_ARGUMENT } from './endpoint-draft.ts';
import type { FieldScope } from './field-scope.ts';

const LABELS: Partial<Record<ArgumentDraft['type'], string>> = {
  enum: 'one of a list',
  code: 'code (runs as a program)',
  list: 'list (one word per item)',
  json: 'JSON',
};
const TYPES = [
  { value: '' as const, label: 'Automatic' },
  ...ARGUMENT_TYPES.map((value) => ({ value, label: LABELS[value] ?? value })),
];

const ITEMS = ITEM_TYPES.map((value) => ({ value, label: LABELS[value] ?? value }));

/** The arguments that callers can pass. */
export function ArgumentsEditor({ scope }: { readonly scope: FieldScope }) {
  const { args } = scope.draft;
  const why = scope.why('args');
  const change = (place: number, argument: ArgumentDraft, field: string) =>
    scope.set('args', args.with(place, argument), `args.${place}.${field}`);
  return (
    <Section title="Arguments" aside={why}>
      {args.map((argument, place) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: an argument has no other name while its name is typed
          key={place}
          disabled={why !== undefined}
          className="flex flex-col gap-3 rounded bg-raised p-4"
        >
          <legend className="sr-only">Argument {place + 1}</legend>
          <Argument
            argument={argument}
            onChange={(next, field) => change(place, next, field)}
            problem={(field) => scope.problem(`args.${place}.${field}`)}
            why={why}
          />
          {why === undefined && (
            <Button
              kind="plain"
              className="self-start"
              onClick={() => scope.set('args', args.toSpliced(place, 1))}
            >
              Remove {argument.name === '' ? 'argument' : argument.name}
            </Button>
          )}
        </fieldset>
      ))}
      {scope.problem('args') && <p className="text-sm text-bad">{scope.problem('args')}</p>}
      <Button className="self-start" why={why} onClick={() => scope.set('args', [...args, NEW_ARGUMENT])}>
        Add argument
      </Button>
    </Section>
  );
}

interface ArgumentProps {
  readonly argument: ArgumentDraft;
  readonly onChange: (argument: ArgumentDraft, field: string) => void;
  readonly problem: (field: string) => string | undefined;
  readonly why: string | undefined;
}

function Argument({ argument, onChange, problem, why }: ArgumentProps) {
  const text = (
    field:
      | 'name'
      | 'description'
      | 'pattern'
      | 'max_length'
      | 'max_items'
      | 'schema'
      | 'choices'
      | 'root'
      | 'schemes'
      | 'hosts',
    label: string,
    hint?: string,
  ) => (
    <TextField
      label={label}
      isCode={field !== 'description'}
      value={argument[field]}
      onChange={(value) => onChange({ ...argument, [field]: value }, field)}
      problem={problem(field)}
      hint={hint}
      {...(field === 'choices' || field === 'schema' ? { rows: 3 } : {})}
    />
  );
  const isList = argument.type === 'list';
  const isJson = argument.type === 'json';
  const itemType = isList ? argument.items : argument.type;
  const hasDefault = argument.default !== undefined;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        {text('name', 'Name')}
        <div>
          <Select
            label="Type"
            options={TYPES}
            value={argument.type}
            onChange={(type) => onChange({ ...argument, type }, 'type')}
            why={why}
          />
          {problem('type') && <p className="text-sm text-bad">{problem('type')}</p>}
        </div>
        {isList && (
          <div>
            <Select
              label="Type of each item"
              options={ITEMS}
              value={argument.items}
              onChange={(items) => onChange({ ...argument, items }, 'items')}
              why={why}
            />
            {problem('items') && <p className="text-sm text-bad">{problem('items')}</p>}
          </div>
        )}
        {isList && text('max_items', 'Max items', 'Default: 100')}
        {isJson && text('schema', 'JSON Schema', 'What a value must match.')}
        {itemType === 'enum' && text('choices', 'Choices', 'One per line.')}
        {itemType === 'path' && text('root', 'Root', 'The path must stay inside this folder.')}
        {itemType === 'url' && text('schemes', 'Schemes', 'Default: https and http')}
        {itemType === 'url' && text('hosts', 'Hosts', 'For example: example.com or *.example.com.')}
        {text('description', 'Description')}
        {hasDefault && (
          <TextField
            label="Default value"
            isCode
            value={argument.default ?? ''}
            onChange={(value) => onChange({ ...argument, default: value }, 'default')}
            problem={problem('default')}
          />
        )}
        {!isJson && text('pattern', 'Pattern', 'Regular expression that must match the whole value.')}
        {!isJson && text('max_length', 'Max length', 'In characters.')}
      </div>
      <div className="flex flex-wrap gap-x-6">
        <Checkbox
          isChecked={argument.required}
          onChange={(required) => onChange({ ...argument, required }, 'required')}
        >
          Required
        </Checkbox>
        {isList && (
          <Checkbox isChecked={argument.each} onChange={(each) => onChange({ ...argument, each }, 'each')}>
            Repeat the word before
          </Checkbox>
        )}
        <Checkbox
          isChecked={hasDefault}
          onChange={(has) => onChange({ ...argument, default: has ? '' : undefined }, 'default')}
        >
          Default value
        </Checkbox>
        <Checkbox
          isChecked={argument.secret}
          onChange={(secret) => onChange({ ...argument, secret }, 'secret')}
        >
          Secret
        </Checkbox>
        <Checkbox
          isChecked={argument.allow_dash}
          onChange={(allowed) => onChange({ ...argument, allow_dash: allowed }, 'allow_dash')}
        >
          Allow leading “-”
        </Checkbox>
      </div>
    </>
  );
}
