/** Declares the schemes of the URLs that this plugin opens. */
export const POSTGRES_SCHEMES = ['postgres', 'postgresql'] as const;
