/** Declares the schemes of the URLs that this plugin opens. */
export const DUCKDB_SCHEMES = ['duckdb'] as const;
