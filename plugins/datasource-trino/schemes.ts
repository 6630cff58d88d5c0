/** Declares the schemes of the URLs that this plugin opens. */
export const TRINO_SCHEMES = ['trino', 'trinos'] as const;
