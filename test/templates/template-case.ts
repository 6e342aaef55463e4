/** One call of an endpoint of a template, and its expected result. */
export interface TemplateCase {
  readonly args?: Readonly<Record<string, string>>;
  /** Overrides the template's own variables; `FOLDER` stands for the folder of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Needs the repositories of cases/repository.ts. */
  readonly repository?: true;
  /** A shell script that creates the files for the call, in the folder of the test. */
  readonly before?: string;
  /** The expected text; `FOLDER` as above. */
  readonly output?: string | RegExp;
  /** The expected data of the transform. */
  readonly data?: unknown;
  readonly exitCode?: number;
  /** A shell script that succeeds when the expected files exist afterwards. */
  readonly after?: string;
  /** It runs until its caller leaves: the call is cancelled once all of `output` has come. */
  readonly endless?: true;
}

/** The calls of endpoints, by slug. */
export type TemplateCases = Readonly<Record<string, readonly TemplateCase[]>>;
