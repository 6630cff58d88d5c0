/** Declares the schemes of the URLs that this plugin opens. */
export const INTERNAL_DB_SCHEMES = ['postgres', 'postgresql', 'sqlite'] as const;
