/** A deleted workspace whose rows are not all removed yet. */
export interface DeletedWorkspace {
  readonly id: string;
  readonly ownerId: string;
  readonly deletedAtMs: number;
}
