/** Declares the scheme of the URLs that this plugin opens. */
export const BIGQUERY_SCHEMES = ['bigquery'] as const;
