/** Declares the schemes of the URLs that this plugin opens. */
export const SQLITE_SCHEMES = ['sqlite'] as const;
