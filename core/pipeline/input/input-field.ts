/** The types of fields in a webhook's body (reference 2.5). */
export const INPUT_TYPES = ['string', 'number', 'boolean', 'object', 'array'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** A field that the trigger of a pipeline declares. */
export interface InputField {
  readonly name: string;
  readonly type: InputType;
  readonly required: boolean;
}
