/** Declares the schemes of the URLs that this plugin opens. */
export const SNOWFLAKE_SCHEMES = ['snowflake'] as const;
