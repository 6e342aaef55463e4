import { Field } from '@base-ui/react/field';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';
import { visibleText } from '@svc/core/text/visible-text';
import { type KeyboardEvent, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { CONTROL } from '../../design/form/TextField.tsx';
import { ChevronDown } from '../../design/icons.tsx';
import { Visible } from '../../design/text/Code.tsx';
import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';
import { acceptedFile } from './file-problem.ts';
import { ListedValue } from './ListedValue.tsx';
import { fieldOf, linesOf, listOfLines, needsValue, type RunValues } from './run-values.ts';

interface ArgumentFieldProps {
  readonly argument: WireArgument;
  /** The endpoint of the argument. */
  readonly endpoint: Pick<WireEndpoint, 'slug' | 'args'>;
  /** The values of the whole form. */
  readonly values: RunValues;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly problem: string | undefined;
  /** A warning that the value runs as a program. */
  readonly notice: string | undefined;
  /** The argument accepts the empty string. */
  readonly mayBeEmpty: boolean;
  /** Runs the form. */
  readonly onEnter: () => void;
  /** Takes the chosen file; undefined: the form cannot send files. */
  readonly onFile?: ((file: File | undefined) => void) | undefined;
}

/** A message of the API in the words of a form, which shows the value above it. */
function problemInForm(message: string): string {
  return message
    .replace(/^it is required/, 'Required')
    .replace(/^.* does not match (.*) as a whole$/s, 'Must match $1');
}

/** The field of one argument, with its type, choices, default and whether it is required. */
export function ArgumentField({
  argument,
  endpoint,
  values,
  value,
  onChange,
  problem,
  notice,
  mayBeEmpty,
  onEnter,
  onFile,
}: ArgumentFieldProps) {
  const { name, description } = argument;
  const accepted = acceptedIn(argument);
  return (
    <Field.Root invalid={problem !== undefined} className="flex min-w-0 flex-col gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <Field.Label className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-mono font-semibold">{name}</span>
          <span className="text-soft">{kindText(argument)}</span>
        </Field.Label>
        {mayBeEmpty && <EmptyChoice name={name} value={value} onChange={onChange} />}
      </div>
      <Control
        argument={argument}
        endpoint={endpoint}
        values={values}
        value={value}
        onChange={onChange}
        onEnter={onEnter}
        onFile={onFile}
      />
      {notice !== undefined && (
        <p role="note" className="border-l-4 border-bad pl-2 text-sm font-semibold text-bad">
          {notice}
        </p>
      )}
      {description !== undefined && (
        <Field.Description className="text-sm text-soft">
          <Visible text={description} />
        </Field.Description>
      )}
      {problem === undefined && accepted !== undefined && (
        <p className="text-sm text-soft wrap-anywhere">Accepts {accepted}.</p>
      )}
      {problem !== undefined && (
        <Field.Error match className="text-sm text-bad wrap-anywhere">
          {/* The API says it of an argument that it names before; here the label does. */}
          {problemInForm(problem)}
        </Field.Error>
      )}
    </Field.Root>
  );
}

/** What the field takes, in words; undefined: its control shows that, or it takes any text. */
function acceptedIn(argument: WireArgument): string | undefined {
  if (fieldOf(argument).kind === 'choice') return undefined;
  const accepted = argument.type === 'file' ? acceptedFile(argument) : acceptedBy(argument);
  return accepted === 'any text' ? undefined : accepted;
}

type ControlProps = Pick<
  ArgumentFieldProps,
  'argument' | 'endpoint' | 'values' | 'value' | 'onChange' | 'onEnter' | 'onFile'
>;

function Control({ argument, endpoint, values, value, onChange, onEnter, onFile }: ControlProps) {
  const field = fieldOf(argument);
  const [isVisible, setVisible] = useState(false);
  if (field.kind === 'choice')
    return <Choices argument={argument} choices={field.choices} value={value} onChange={onChange} />;
  if (field.kind === 'file') return <FileField argument={argument} onFile={onFile} />;
  if (field.kind === 'list') return <Lines argument={argument} value={value} onChange={onChange} />;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
  };
  if (field.kind === 'text' && argument.choices_from !== undefined)
    return (
      <ListedValue
        endpoint={endpoint}
        argument={argument}
        values={values}
        onChange={onChange}
        onEnter={onKeyDown}
      />
    );
  const common = {
    value: value ?? '',
    onKeyDown,
    required: needsValue(argument),
    placeholder: argument.default === undefined ? undefined : shownDefault(argument.default),
    spellCheck: false,
    autoComplete: 'off',
    autoCapitalize: 'none',
    className: `${CONTROL} font-mono`,
    onValueChange: (text: string) => onChange(text === '' ? undefined : text),
  } as const;
  if (field.kind === 'secret')
    return (
      <span className="flex gap-1">
        <Field.Control {...common} type={isVisible ? 'text' : 'password'} />
        <button
          type="button"
          aria-pressed={isVisible}
          onClick={() => setVisible(!isVisible)}
          className="shrink-0 cursor-pointer rounded px-2 text-sm text-accent hover:underline"
        >
          {isVisible ? 'Hide' : 'Show'}
        </button>
      </span>
    );
  if (field.inputMode !== 'text') return <Field.Control {...common} inputMode={field.inputMode} />;
  // Shift+Enter starts a new line, and pasted text keeps its lines.
  return <Field.Control {...common} render={<textarea rows={1} className={GROWING} />} />;
}

/** A browser that grows the field with its text needs no grip. */
const GROWING = 'field-sizing-content max-h-60 resize-y supports-[field-sizing:content]:resize-none';

/** One item per line. The typed text is kept, because an empty line is no item yet. */
function Lines({ argument, value, onChange }: Pick<ControlProps, 'argument' | 'value' | 'onChange'>) {
  const [typed, setTyped] = useState('');
  const text = listOfLines(typed) === value ? typed : linesOf(value);
  return (
    <Field.Control
      value={text}
      required={needsValue(argument)}
      placeholder={argument.default === undefined ? 'One per line' : linesOf(argument.default)}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="none"
      className={`${CONTROL} font-mono`}
      onValueChange={(next) => {
        setTyped(next);
        onChange(listOfLines(next));
      }}
      render={<textarea rows={2} className={GROWING} />}
    />
  );
}

interface ChoicesProps extends Pick<ControlProps, 'argument' | 'value' | 'onChange'> {
  readonly choices: readonly string[];
}

/** A native list: it works on every phone and with a thousand choices. */
function Choices({ argument, choices, value, onChange }: ChoicesProps) {
  const place = value === undefined ? '' : String(choices.indexOf(value));
  const absent = needsValue(argument) ? 'Choose…' : shownDefault(argument.default ?? 'not set');
  return (
    <span className="relative">
      <Field.Control
        value={place}
        required={needsValue(argument)}
        onValueChange={(next) => onChange(next === '' ? undefined : choices[Number(next)])}
        className={`${CONTROL} appearance-none pr-8 font-mono`}
        render={
          <select>
            <option value="">
              {needsValue(argument) || argument.default === undefined ? absent : `${absent} (default)`}
            </option>
            {choices.map((choice, index) => (
              <option key={choice} value={index}>
                {choice === '' ? 'empty string' : visibleText(choice)}
              </option>
            ))}
          </select>
        }
      />
      <ChevronDown className="pointer-events-none absolute inset-y-0 right-2 my-auto size-4 text-soft" />
    </span>
  );
}

type EmptyChoiceProps = Pick<ArgumentFieldProps, 'value' | 'onChange'> & { readonly name: string };

/** An empty field leaves the argument out; this button sends the empty string instead. */
function EmptyChoice({ name, value, onChange }: EmptyChoiceProps) {
  if (value !== undefined && value !== '') return null;
  const isSent = value === '';
  return (
    <button
      type="button"
      aria-label={isSent ? `Do not send ${name}` : `Send empty string for ${name}`}
      onClick={() => onChange(isSent ? undefined : '')}
      className="cursor-pointer text-accent hover:underline"
    >
      {isSent ? 'Do not send' : 'Send empty string'}
    </button>
  );
}

function kindText(argument: WireArgument): string {
  const { type, secret, max_length: maxLength } = argument;
  const parts = [
    secret ? 'secret' : type === 'enum' ? 'one of a list' : type === 'list' ? 'list, one per line' : type,
    needsValue(argument) ? 'required' : 'optional',
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function shownDefault(value: string): string {
  return value === '' ? 'empty string' : visibleText(value);
}

interface FileFieldProps {
  readonly argument: WireArgument;
  /** Undefined: the form cannot send files. */
  readonly onFile: ((file: File | undefined) => void) | undefined;
}

const FILE_BUTTON =
  'cursor-pointer file:mr-3 file:cursor-pointer file:rounded file:border file:border-edge file:bg-sunken file:px-2 file:text-ink';

/** The native field: it takes a file by keyboard, from a dialog and dropped on it. */
function FileField({ argument, onFile }: FileFieldProps) {
  if (onFile === undefined)
    return <p className="text-sm text-soft">Open the endpoint to run it with a file.</p>;
  return (
    <Field.Control
      required={needsValue(argument)}
      className={classes(CONTROL, FILE_BUTTON)}
      render={
        <input
          type="file"
          accept={argument.accept?.join(',')}
          onChange={({ currentTarget: { files } }) => onFile(files?.[0])}
        />
      }
    />
  );
}
