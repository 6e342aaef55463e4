import { INPUT_TYPES, type InputField } from '@svc/core/pipeline/input/input-field';
import { Button } from '../../design/Button.tsx';
import { Checkbox } from '../../design/form/Checkbox.tsx';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';

const TYPES = INPUT_TYPES.map((value) => ({ value, label: value }));

interface InputFieldsProps {
  readonly fields: readonly InputField[];
  readonly onChange: (fields: readonly InputField[]) => void;
}

/** The fields of a webhook's body that the run can use. */
export function InputFields({ fields, onChange }: InputFieldsProps) {
  const set = (index: number, changed: Partial<InputField>) =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...changed } : field)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-sm font-semibold">Fields of the body</legend>
      {fields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field has no other key while its name is typed.
        <div key={index} className="flex flex-col gap-1 rounded bg-raised p-2">
          <div className="grid grid-cols-2 gap-2">
            <TextField
              label={`Name of field ${index + 1}`}
              isLabelHidden
              value={field.name}
              onChange={(name) => set(index, { name })}
              isCode
              input={{ placeholder: 'name' }}
            />
            <Select
              label={`Type of field ${index + 1}`}
              isLabelHidden
              options={TYPES}
              value={field.type}
              onChange={(type) => set(index, { type })}
            />
          </div>
          <div className="flex items-center justify-between">
            <Checkbox isChecked={field.required} onChange={(required) => set(index, { required })}>
              Required
            </Checkbox>
            <Button
              kind="plain"
              className="text-bad"
              aria-label={`Remove field ${field.name || index + 1}`}
              onClick={() => onChange(fields.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...fields, { name: '', type: 'string', required: false }])}>
          Add field
        </Button>
      </div>
    </fieldset>
  );
}
