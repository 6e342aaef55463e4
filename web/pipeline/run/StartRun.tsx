import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Dialog } from '../../design/overlay/Dialog.tsx';
import type { WirePipeline } from '../graph/wire-pipeline.ts';
import { inputOfTexts, inputText } from './input-of.ts';

/** Starts a run; a webhook pipeline asks for its input first. */
export function StartRun({ pipeline }: { readonly pipeline: WirePipeline }) {
  const can = useMay('endpoint.execute');
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const navigate = useNavigate();
  const fields = pipeline.trigger.input_schema;
  const start = useAction('startPipelineRun', {
    changes: ['listPipelineRuns'],
    isProblemShown: fields.length > 0,
    onDone: ({ run_id: id }) => void navigate({ to: '/pipeline-runs/$id', params: { id } }),
  });
  const begin = (input: Parameters<typeof start.mutate>[0]['body']['input']) =>
    start.mutate({ body: { pipeline: pipeline.slug, input } });
  const broken = pipeline.problems[0]?.message;
  return (
    <>
      <Button
        kind="primary"
        isPending={start.isPending}
        why={can.ok ? broken : can.reason}
        onClick={() => (fields.length === 0 ? begin({}) : setIsDialogOpen(true))}
      >
        Run {pipeline.slug}
      </Button>
      {isDialogOpen && (
        <Dialog isOpen onClose={() => setIsDialogOpen(false)} title={`Run ${pipeline.slug}`}>
          <InputForm fields={fields} error={start.error} isPending={start.isPending} onStart={begin} />
        </Dialog>
      )}
    </>
  );
}

interface InputFormProps {
  readonly fields: WirePipeline['trigger']['input_schema'];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onStart: (input: ReturnType<typeof inputOfTexts>['input']) => void;
}

function InputForm({ fields, error, isPending, onStart }: InputFormProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isChecked, setIsChecked] = useState(false);
  const { input, problems } = inputOfTexts(fields, texts);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (problems.size === 0) onStart(input);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
      {fields.map(({ name, type, required }) => (
        <TextField
          key={name}
          label={required ? `${name} (required)` : name}
          value={inputText(texts, name)}
          onChange={(text) => setTexts({ ...texts, [name]: text })}
          isCode
          hint={type === 'string' ? undefined : `JSON ${type}.`}
          problem={isChecked ? problems.get(name) : undefined}
        />
      ))}
      {error && <Problem error={error} />}
      <div className="flex justify-end">
        <Button kind="primary" type="submit" isPending={isPending}>
          Start run
        </Button>
      </div>
    </form>
  );
}
