/** Types what a database says of its views. */

/** A view, or another relation whose rows are those of tables. */
export interface ViewDefinition {
  readonly schema?: string;
  readonly name: string;
  /** The SELECT that it stands for; without it and `reads`, what it reads is not known. */
  readonly sql?: string;
  /** In place of `sql`: tables of which it may hold every column, as with a partition and the whole. */
  readonly reads?: readonly string[];
}
