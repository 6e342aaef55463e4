import { ApiError } from '@svc/core/api/client/api-error';
import { type FormEvent, type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { Button } from '../../design/Button.tsx';
import { DraftNotice } from '../../design/form/DraftNotice.tsx';
import type { KeptDraft } from '../../design/form/use-kept-draft.ts';
import { Problem } from '../../design/list/Problem.tsx';
import { ApprovalFields } from './ApprovalFields.tsx';
import { ArgumentsEditor } from './ArgumentsEditor.tsx';
import { CallFields } from './CallFields.tsx';
import { CommandFields } from './CommandFields.tsx';
import { type DraftProblems, draftProblems, groupProblems } from './draft-problems.ts';
import type { EndpointDraft } from './endpoint-draft.ts';
import { FieldScope } from './field-scope.ts';
import { PlaceFields } from './PlaceFields.tsx';
import { ResultFields } from './ResultFields.tsx';
import { TestRun } from './TestRun.tsx';

interface EndpointFormProps {
  readonly kept: Pick<KeptDraft<EndpointDraft>, 'draft' | 'change' | 'isChanged' | 'isRestored' | 'discard'>;
  /** The fields that only svc.yaml can change (decision 33, the file is the source of its endpoints). */
  readonly locked: readonly string[];
  /** The label of the submit button. */
  readonly action: string;
  readonly why: string | undefined;
  /** The refusal of the last save. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSave: (draft: EndpointDraft) => void;
  /** The command can be run before it is saved. */
  readonly hasTestRun?: boolean;
  /** Shown above the fields. */
  readonly notice?: ReactNode;
}

/** Every field of an endpoint, checked while typing by the rules of svc.yaml. */
export function EndpointForm(props: EndpointFormProps) {
  const { kept, locked, action, why, error, isPending, onSave, hasTestRun = false, notice } = props;
  const { draft, isChanged } = kept;
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const checked = useDeferredValue(draft);
  const problems = useMemo(() => draftProblems(checked), [checked]);
  const refused = useMemo(() => refusedFields(error), [error]);

  const scope = new FieldScope({
    draft,
    lockedFields: locked,
    problems: wasSubmitted ? problems : ofTouched(problems, touched),
    refused,
    onChange: (field, next) => {
      setTouched((before) => new Set(before).add(field));
      kept.change(next);
    },
  });
  const check = () => {
    setWasSubmitted(true);
    if (draftProblems(draft).size === 0) return true;
    queueMicrotask(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-problem]')?.focus(),
    );
    return false;
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (check()) onSave(draft);
  };
  return (
    <form ref={form} onSubmit={save} noValidate className="flex max-w-3xl flex-col gap-8">
      <DraftNotice kept={kept} />
      {notice}
      <CommandFields scope={scope} />
      <ArgumentsEditor scope={scope} />
      <CallFields scope={scope} />
      <ApprovalFields scope={scope} />
      <PlaceFields scope={scope} />
      <ResultFields scope={scope} />
      {error && refused.size === 0 && <Problem error={error} />}
      <div className="bottom-[calc(3rem+env(safe-area-inset-bottom))] z-10 flex flex-wrap items-center gap-4 border-t border-line bg-paper py-3 sm:bottom-0 tall:sticky">
        <Button
          kind="primary"
          type="submit"
          isPending={isPending}
          why={why ?? (isChanged ? undefined : 'No changes to save.')}
        >
          {action}
        </Button>
        {hasTestRun && <TestRun draft={draft} why={why} onCheck={check} />}
        {wasSubmitted && problems.size > 0 && (
          <span role="alert" className="text-sm text-bad">
            {problems.size === 1 ? '1 field has' : `${problems.size} fields have`} a problem:{' '}
            {[...problems.keys()].join(', ')}
          </span>
        )}
      </div>
    </form>
  );
}

/** The problems of fields that the person has already changed. */
function ofTouched(problems: DraftProblems, touched: ReadonlySet<string>): DraftProblems {
  return new Map([...problems].filter(([field]) => touched.has(field)));
}

interface RefusedField {
  readonly field: string;
  readonly message: string;
  readonly offset?: number;
}

function refusedFields(error: Error | null): DraftProblems {
  if (!(error instanceof ApiError)) return new Map();
  if (error.code === 'slug_taken') return new Map([['name', [{ message: error.message }]]]);
  const fields = Array.isArray(error.details.fields)
    ? (error.details.fields as readonly (RefusedField | string)[])
    : [];
  return groupProblems(
    fields.flatMap((one) =>
      typeof one === 'string'
        ? []
        : [{ path: one.field.replace(/^slug/, 'name').split('.'), message: one.message, offset: one.offset }],
    ),
  );
}
