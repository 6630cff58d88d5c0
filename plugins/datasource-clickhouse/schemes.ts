/** Declares the schemes of the URLs that this plugin opens. */
export const CLICKHOUSE_SCHEMES = ['clickhouse', 'clickhouses'] as const;
