import { REFUSAL_STATUS } from '../api/refusal-status.ts';
import { type Refusal, type RefusalCode, refuse } from '../refusal.ts';

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The words of RFC 7644, section 3.12, that this hub answers with, and the refusal that each of them is. */
const SCIM_TYPES = {
  invalidFilter: 'invalid_argument',
  invalidPath: 'invalid_argument',
  invalidSyntax: 'invalid_argument',
  invalidValue: 'invalid_argument',
  mutability: 'invalid_argument',
  noTarget: 'invalid_argument',
  uniqueness: 'already_member',
} as const satisfies Record<string, RefusalCode>;
type ScimType = keyof typeof SCIM_TYPES;

/** The refusal of a SCIM request, with the word of the standard for it. */
export function refuseScim(scimType: ScimType, message: string): Refusal {
  return refuse(SCIM_TYPES[scimType], message, { scimType });
}

interface ScimErrorBody {
  readonly schemas: readonly [typeof ERROR_SCHEMA];
  /** The HTTP status, as text. */
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

/** A refusal in the shape of RFC 7644, section 3.12. */
export function scimErrorOf({ code, message, details: { scimType } }: Refusal): ScimErrorBody {
  const status = REFUSAL_STATUS[code];
  const type = typeof scimType === 'string' ? scimType : DEFAULT_TYPES[code];
  return scimError(status, message, type);
}

export function scimError(status: number, detail: string, scimType?: string): ScimErrorBody {
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  };
}

const DEFAULT_TYPES: Partial<Record<RefusalCode, ScimType>> = {
  invalid_argument: 'invalidValue',
  invalid_json: 'invalidSyntax',
};
