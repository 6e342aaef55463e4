/** One call of an endpoint of a template, and what must come of it. */
export interface TemplateCase {
  readonly args?: Readonly<Record<string, string>>;
  /** Overrides the template's own variables; `FOLDER` stands for the folder of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** The repositories of cases/repository.ts are there. */
  readonly repository?: true;
  /** A shell script that makes what is there before the call, in the folder of the test. */
  readonly before?: string;
  /** Of the text that comes; `FOLDER` as above. */
  readonly output?: string | RegExp;
  /** What the transform makes. */
  readonly data?: unknown;
  readonly exitCode?: number;
  /** A shell script that succeeds when what should be there is there afterwards. */
  readonly after?: string;
  /** It runs until its caller leaves: the call is cancelled once all of `output` has come. */
  readonly endless?: true;
}

/** The calls of endpoints, by slug. */
export type TemplateCases = Readonly<Record<string, readonly TemplateCase[]>>;
