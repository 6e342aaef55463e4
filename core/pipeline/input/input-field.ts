/** What a field of a webhook's body may be (reference 2.5). */
export const INPUT_TYPES = ['string', 'number', 'boolean', 'object'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One field that the trigger of a pipeline declares. */
export interface InputField {
  readonly name: string;
  readonly type: InputType;
  readonly required: boolean;
}
