/** Asks the server one thing of the driver's own: rows come as lists of JSON values. */
import type { Cell } from '../../datasource-kit/index.ts';

/** Values of query parameters by name: texts, null, or lists of texts. */
export type Params = Readonly<Record<string, string | null | readonly string[]>>;

export type Query = (sql: string, params?: Params) => Promise<(readonly Cell[])[]>;
