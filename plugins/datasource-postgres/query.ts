/** Asks the server one thing of the driver's own: rows come as lists of texts, whatever their types. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<(string | null)[][]>;
