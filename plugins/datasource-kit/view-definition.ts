/** Types what a database says of its views. */

/** A view, or another relation that shows what stands elsewhere. */
export interface ViewDefinition {
  readonly schema?: string;
  readonly name: string;
  /** The SELECT that it stands for; without it and all that follows, what it reads is not known. */
  readonly sql?: string;
  /** Tables of which it may hold every column. */
  readonly reads?: readonly string[];
  /** Tables that hold part of its rows in columns of the same names, such as partitions. */
  readonly parts?: readonly string[];
  /** Tables of which it is such a part. */
  readonly partOf?: readonly string[];
  /** Its columns that are worked out from others of the same row. */
  readonly computed?: readonly string[];
}
