/** How one value of a call gets to what receives it, for `svc validate --explain`. */
export interface Travel {
  readonly argument: string;
  readonly place: TravelPlace;
  /** The receiver takes the value as data: it is in the table of such programs, the owner's own program, or the environment. */
  readonly known: boolean;
}

/** Where a value arrives. `shown` is the place as a person reads it. */
export type TravelPlace =
  | { readonly kind: 'argument'; readonly position: number; readonly program: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'option' | 'redirect' | 'loop' | 'assignment'; readonly shown: string };
